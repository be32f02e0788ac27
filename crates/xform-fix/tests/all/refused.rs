//! What is refused, and what is no glTF.
