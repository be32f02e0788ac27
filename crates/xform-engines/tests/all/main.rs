//! Rules against what the engines themselves answered.

mod answers;
mod exported;
mod getters;
mod kit;
mod laws;
mod physics;
mod quaternions;
mod roads;
mod runs;
mod skins;
mod table;
mod told_apart;
mod wireframes;
