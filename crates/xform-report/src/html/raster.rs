use base64::{Engine, engine::general_purpose::STANDARD};
use nalgebra::{Point3, Vector3};

/// A picture of triangles, of which the nearest at each pixel shows: four samples a pixel.
pub(super) struct Raster {
    width: usize,
    height: usize,
    samples: Vec<Sample>,
}

/// Red, green, blue and opacity, from 0 to 1, multiplied by that, and how near it is.
#[derive(Clone, Copy)]
struct Sample {
    colour: [f32; 4],
    nearness: f32,
}

/// A triangle on the picture: x to the right and y down in pixels, z towards the eye.
pub(super) struct Facet {
    pub(super) corners: [Point3<f64>; 3],
    /// Red, green and blue, from 0 to 1.
    pub(super) colour: [f32; 3],
}

/// Samples beside one another in a pixel, and below one another.
const SAMPLES: usize = 2;

impl Raster {
    /// An empty picture, in pixels.
    pub(super) fn new(width: usize, height: usize) -> Self {
        let nothing = Sample { colour: [0.0; 4], nearness: f32::NEG_INFINITY };
        Self { width, height, samples: vec![nothing; SAMPLES * SAMPLES * width * height] }
    }

    /// Draws solid triangles.
    pub(super) fn draw(&mut self, facets: &[Facet]) {
        for Facet { corners, colour: [r, g, b] } in facets {
            each_sample(self.width, self.height, corners, |place, nearness| {
                if nearness > self.samples[place].nearness {
                    self.samples[place] = Sample { colour: [*r, *g, *b, 1.0], nearness };
                }
            });
        }
    }

    /// Draws triangles that one sees through, all of one opacity, over what they are before of; of several at one place
    /// the nearest alone.
    pub(super) fn draw_over(&mut self, facets: &[Facet], opacity: f32) {
        let mut ghost = Self::new(self.width, self.height);
        ghost.draw(facets);
        for (own, over) in self.samples.iter_mut().zip(&ghost.samples) {
            if over.nearness > own.nearness {
                let mix = |i: usize| opacity * over.colour[i] + (1.0 - opacity) * own.colour[i];
                own.colour = std::array::from_fn(mix);
            }
        }
    }

    /// The picture as a data URI of a PNG.
    pub(super) fn to_data_uri(&self) -> String {
        format!("data:image/png;base64,{}", STANDARD.encode(self.to_png()))
    }

    fn to_png(&self) -> Vec<u8> {
        let mut png = Vec::new();
        let [width, height] = [self.width, self.height]
            .map(|size| u32::try_from(size).expect("a picture is of some hundred pixels"));
        let mut encoder = png::Encoder::new(&mut png, width, height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_compression(png::Compression::High);
        let written = encoder.write_header().and_then(|mut writer| {
            writer.write_image_data(&self.pixels())?;
            writer.finish()
        });
        written.expect("a vector takes whatever is written to it");
        png
    }

    /// Red, green, blue and opacity of each pixel, row by row, in steps that are too small to be seen.
    fn pixels(&self) -> Vec<u8> {
        let mut pixels = Vec::with_capacity(4 * self.width * self.height);
        for place in 0..self.width * self.height {
            let (x, y) = (place % self.width, place / self.width);
            let mut sum = [0.0_f32; 4];
            for sample in 0..SAMPLES * SAMPLES {
                let row = SAMPLES * y + sample / SAMPLES;
                let at = row * SAMPLES * self.width + SAMPLES * x + sample % SAMPLES;
                let colour = self.samples[at].colour;
                sum = std::array::from_fn(|i| sum[i] + colour[i]);
            }
            let opacity = sum[3];
            let part = |value: f32| if opacity > 0.0 { value / opacity } else { 0.0 };
            let whole = (SAMPLES * SAMPLES) as f32;
            pixels.extend([part(sum[0]), part(sum[1]), part(sum[2]), opacity / whole].map(step));
        }
        pixels
    }
}

/// One of 64 even steps, as a byte.
fn step(value: f32) -> u8 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 0 to the number of steps"
    )]
    let step = (value.clamp(0.0, 1.0) * 63.0 + 0.5) as u8;
    step << 2 | step >> 4
}

/// Calls for each sample that a triangle covers, with its place and how near the triangle is there.
fn each_sample(
    width: usize,
    height: usize,
    corners: &[Point3<f64>; 3],
    mut call: impl FnMut(usize, f32),
) {
    let by = SAMPLES as f64;
    let [a, b, c] = corners.map(|at| Vector3::new(at.x * by - 0.5, at.y * by - 0.5, at.z));
    let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    if area == 0.0 || !area.is_finite() || !(a.z + b.z + c.z).is_finite() {
        return;
    }
    let range = |low: f64, high: f64, size: usize| {
        let last = (SAMPLES * size) as f64 - 1.0;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "within the picture"
        )]
        let whole = |value: f64| value.clamp(0.0, last) as usize;
        let is_outside = high < 0.0 || low > last;
        if is_outside { 0..0 } else { whole(libm::ceil(low))..whole(libm::floor(high)) + 1 }
    };
    let (low, high) = (a.inf(&b).inf(&c), a.sup(&b).sup(&c));
    for y in range(low.y, high.y, height) {
        for x in range(low.x, high.x, width) {
            let at = (x as f64, y as f64);
            let side = |from: &Vector3<f64>, to: &Vector3<f64>| {
                ((to.x - from.x) * (at.1 - from.y) - (to.y - from.y) * (at.0 - from.x)) / area
            };
            let (of_c, of_a, of_b) = (side(&a, &b), side(&b, &c), side(&c, &a));
            if of_a >= 0.0 && of_b >= 0.0 && of_c >= 0.0 {
                #[expect(clippy::cast_possible_truncation, reason = "what is nearer is compared")]
                let nearness = (of_a * a.z + of_b * b.z + of_c * c.z) as f32;
                call(y * SAMPLES * width + x, nearness);
            }
        }
    }
}
