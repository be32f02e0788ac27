use base64::{Engine, engine::general_purpose::STANDARD};
use nalgebra::Matrix4;

/// Numbers for the page's scripts, little-endian. Each list begins at a multiple of four bytes.
#[derive(Default)]
pub(super) struct Bytes(Vec<u8>);

impl Bytes {
    /// Adds a list and returns its offset.
    pub(super) fn push<const N: usize>(
        &mut self,
        numbers: impl IntoIterator<Item = [u8; N]>,
    ) -> usize {
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        let start = self.0.len();
        self.0.extend(numbers.into_iter().flatten());
        start
    }

    /// Adds numbers in single precision, clamped to its range, and returns their offset.
    pub(super) fn push_f32(&mut self, numbers: impl IntoIterator<Item = f64>) -> usize {
        self.push(numbers.into_iter().map(|number| narrow(number).to_le_bytes()))
    }

    /// Returns the number of bytes.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Appends other lists and returns the offset to add to theirs.
    pub(super) fn append(&mut self, other: &Self) -> usize {
        self.push(other.0.iter().map(|&byte| [byte]))
    }

    pub(super) fn to_base64(&self) -> String {
        STANDARD.encode(&self.0)
    }
}

/// Converts a number to single precision, clamped to its range.
pub(super) fn narrow(number: f64) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "what is drawn is of single precision")]
    let narrow = number.clamp(f32::MIN.into(), f32::MAX.into()) as f32;
    narrow
}

/// Maps a fraction from 0 to 1 to the nearest of `steps` even steps.
pub(super) fn step_of(part: f64, steps: u16) -> u16 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 0 to the number of steps"
    )]
    let step = (part.clamp(0.0, 1.0) * f64::from(steps) + 0.5) as u16;
    step
}

/// Maps a fraction from −1 to 1 to the nearest of 32767 steps on each side of 0.
pub(super) fn signed_step_of(part: f64) -> i16 {
    let steps = i16::try_from(step_of(part.abs(), 32_767)).unwrap_or(i16::MAX);
    if part < 0.0 { -steps } else { steps }
}

/// Appends a number in as few bytes as possible, seven bits in each, the lowest first (LEB128).
pub(super) fn push_varint(bytes: &mut Vec<u8>, mut number: u32) {
    loop {
        let low = u8::try_from(number & 0x7F).expect("seven bits");
        number >>= 7;
        if number == 0 {
            return bytes.push(low);
        }
        bytes.push(low | 0x80);
    }
}

/// Returns the rows of a 3×4 matrix.
pub(super) fn rows(matrix: &Matrix4<f64>) -> [f64; 12] {
    std::array::from_fn(|i| matrix[(i / 4, i % 4)])
}
