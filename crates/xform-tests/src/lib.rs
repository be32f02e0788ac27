//! Nothing but tests: those of the core and both backends are in `tests/`, beside what they share.
