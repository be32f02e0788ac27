//! Rules against what the engines themselves answered.

mod answers;
mod getters;
mod kit;
mod laws;
mod roads;
mod runs;
mod table;
mod told_apart;
