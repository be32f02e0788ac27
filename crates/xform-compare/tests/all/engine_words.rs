//! What is written about engines, in every format.
