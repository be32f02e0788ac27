use base64::{Engine, engine::general_purpose::STANDARD};
use nalgebra::Matrix4;

/// Numbers for the page's scripts, one after the other, little-endian; each list begins at a multiple of four bytes.
#[derive(Default)]
pub(super) struct Bytes(Vec<u8>);

impl Bytes {
    /// Adds a list, and returns where it begins.
    pub(super) fn push<const N: usize>(
        &mut self,
        numbers: impl IntoIterator<Item = [u8; N]>,
    ) -> usize {
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        let start = self.0.len();
        self.0.extend(numbers.into_iter().flatten());
        start
    }

    /// Adds numbers of single precision; what is beyond it is the greatest that there is.
    pub(super) fn push_f32(&mut self, numbers: impl IntoIterator<Item = f64>) -> usize {
        self.push(numbers.into_iter().map(|number| narrow(number).to_le_bytes()))
    }

    /// How many bytes there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds all of another list of lists, and returns by how much what begins there is shifted.
    pub(super) fn append(&mut self, other: &Self) -> usize {
        self.push(other.0.iter().map(|&byte| [byte]))
    }

    pub(super) fn to_base64(&self) -> String {
        STANDARD.encode(&self.0)
    }
}

/// A number in single precision; what is beyond it is the greatest that there is.
pub(super) fn narrow(number: f64) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "what is drawn is of single precision")]
    let narrow = number.clamp(f32::MIN.into(), f32::MAX.into()) as f32;
    narrow
}

/// The nearest of so many even steps to a part of a whole, which is from 0 to 1.
pub(super) fn step_of(part: f64, steps: u16) -> u16 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 0 to the number of steps"
    )]
    let step = (part.clamp(0.0, 1.0) * f64::from(steps) + 0.5) as u16;
    step
}

/// The nearest of 32767 steps on each side of 0 to a part, which is from −1 to 1.
pub(super) fn signed_step_of(part: f64) -> i16 {
    let steps = i16::try_from(step_of(part.abs(), 32_767)).unwrap_or(i16::MAX);
    if part < 0.0 { -steps } else { steps }
}

/// Appends a number in as few bytes as it takes, seven bits in each, the lowest first (LEB128).
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

/// The rows of a 3×4 matrix.
pub(super) fn rows(matrix: &Matrix4<f64>) -> [f64; 12] {
    std::array::from_fn(|i| matrix[(i / 4, i % 4)])
}
