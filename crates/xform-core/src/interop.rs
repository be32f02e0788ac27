//! Conversions of poses and matrices from and to other libraries, each behind the feature with the library's name.

#[cfg(feature = "bytemuck")]
mod bytemuck;
#[cfg(feature = "glam")]
mod glam;
#[cfg(feature = "mint")]
mod mint;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "ultraviolet")]
mod ultraviolet;
