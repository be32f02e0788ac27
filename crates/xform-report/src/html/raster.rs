use std::ops::Range;

use base64::{Engine, engine::general_purpose::STANDARD};
use nalgebra::{Point3, Vector3};

/// A picture of triangles with hidden surfaces removed, with four samples per pixel.
pub(super) struct Raster {
    width: usize,
    height: usize,
    solid: Layer,
    /// The transparent layer, and its opacity.
    ghost: Option<(Layer, f32)>,
}

/// A triangle on the picture: x to the right and y down in pixels, z towards the eye.
pub(super) struct Facet {
    pub(super) corners: [Point3<f64>; 3],
    /// Red, green and blue, from 0 to 1.
    pub(super) colour: [f32; 3],
}

/// The number of samples of a pixel in each direction.
const SAMPLES: usize = 2;

impl Raster {
    /// Draws solid triangles on a picture of this size.
    pub(super) fn new(width: usize, height: usize, facets: &[Facet]) -> Self {
        Self { width, height, solid: Layer::new(width, height, facets), ghost: None }
    }

    /// Adds transparent triangles of one opacity, over the solid ones that they are in front of. Where several overlap,
    /// only the nearest counts.
    pub(super) fn with_ghost(self, facets: &[Facet], opacity: f32) -> Self {
        let ghost = Layer::new(self.width, self.height, facets);
        Self { ghost: Some((ghost, opacity)), ..self }
    }

    /// Returns the premultiplied red, green and blue of a sample and its opacity, from 0 to 1.
    fn sample(&self, place: usize) -> [f32; 4] {
        let own = self.solid.colour(place);
        match &self.ghost {
            Some((ghost, opacity)) if ghost.nearness[place] > self.solid.nearness[place] => {
                let over = ghost.colour(place);
                std::array::from_fn(|i| opacity * over[i] + (1.0 - opacity) * own[i])
            }
            _ => own,
        }
    }

    /// Returns the picture as a data URI of a PNG.
    pub(super) fn to_data_uri(&self) -> String {
        format!("data:image/png;base64,{}", STANDARD.encode(self.to_png()))
    }

    fn to_png(&self) -> Vec<u8> {
        let mut png = Vec::new();
        let [width, height] = [self.width, self.height]
            .map(|size| u32::try_from(size).expect("a picture is of some hundred pixels"));
        let mut encoder = png::Encoder::new(&mut png, width, height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_compression(png::Compression::Balanced);
        let written = encoder.write_header().and_then(|mut writer| {
            writer.write_image_data(&self.pixels())?;
            writer.finish()
        });
        written.expect("a vector takes whatever is written to it");
        png
    }

    /// Returns red, green, blue and opacity of each pixel, row by row, in steps too small to see.
    fn pixels(&self) -> Vec<u8> {
        let mut pixels = Vec::with_capacity(4 * self.width * self.height);
        for place in 0..self.width * self.height {
            let (x, y) = (place % self.width, place / self.width);
            let mut sum = [0.0_f32; 4];
            for sample in 0..SAMPLES * SAMPLES {
                let row = SAMPLES * y + sample / SAMPLES;
                let at = row * SAMPLES * self.width + SAMPLES * x + sample % SAMPLES;
                let colour = self.sample(at);
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

/// Rounds to one of 64 even steps, as a byte.
fn step(value: f32) -> u8 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 0 to the number of steps"
    )]
    let step = (value.clamp(0.0, 1.0) * 63.0 + 0.5) as u8;
    step << 2 | step >> 4
}

/// The nearest triangle at each sample.
struct Layer {
    colours: Vec<[f32; 3]>,
    /// The nearness at each sample, and the triangle there.
    nearness: Vec<f32>,
    nearest: Vec<u32>,
}

impl Layer {
    fn new(width: usize, height: usize, facets: &[Facet]) -> Self {
        let samples = SAMPLES * SAMPLES * width * height;
        let mut nearness = vec![f32::NEG_INFINITY; samples];
        let mut nearest = vec![0; samples];
        for (facet, Facet { corners, .. }) in (0_u32..).zip(facets) {
            each_span(SAMPLES * width, SAMPLES * height, corners, |first, count, near, step| {
                let span = first..first + count;
                let places = nearness[span.clone()].iter_mut().zip(&mut nearest[span]);
                for (column, (nearness, nearest)) in places.enumerate() {
                    #[expect(
                        clippy::cast_possible_truncation,
                        reason = "what is nearer is compared"
                    )]
                    let own = (near + column as f64 * step) as f32;
                    if own > *nearness {
                        (*nearness, *nearest) = (own, facet);
                    }
                }
            });
        }
        Self { colours: facets.iter().map(|facet| facet.colour).collect(), nearness, nearest }
    }

    /// Returns red, green, blue and opacity.
    fn colour(&self, place: usize) -> [f32; 4] {
        if self.nearness[place] == f32::NEG_INFINITY {
            return [0.0; 4];
        }
        let [r, g, b] = self.colours[self.nearest[place] as usize];
        [r, g, b, 1.0]
    }
}

/// Calls a function for each row of samples that a triangle covers: with the index of its first sample, the number of
/// samples, the nearness at the first, and the increase of nearness at each further one.
fn each_span(
    width: usize,
    height: usize,
    corners: &[Point3<f64>; 3],
    mut call: impl FnMut(usize, usize, f64, f64),
) {
    let by = SAMPLES as f64;
    let [a, b, c] = corners.map(|at| Vector3::new(at.x * by - 0.5, at.y * by - 0.5, at.z));
    let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    if area == 0.0 || !area.is_finite() || !(a.z + b.z + c.z).is_finite() {
        return;
    }
    // The barycentric coordinate of each corner: its value at the origin, and its change by a step right and down.
    let part = |from: &Vector3<f64>, to: &Vector3<f64>| {
        let (dx, dy) = ((to.x - from.x) / area, (to.y - from.y) / area);
        (dy * from.x - dx * from.y, -dy, dx)
    };
    let parts = [part(&b, &c), part(&c, &a), part(&a, &b)];
    let (low, high) = (a.inf(&b).inf(&c), a.sup(&b).sup(&c));
    for y in samples(low.y, high.y, height) {
        let (mut left, mut right) = (low.x, high.x);
        for (origin, across, down) in parts {
            let at_left = origin + down * y as f64;
            let edge = -at_left / across;
            if across > 0.0 {
                left = left.max(edge);
            } else if across < 0.0 {
                right = right.min(edge);
            } else if at_left < 0.0 {
                right = f64::NEG_INFINITY;
            }
        }
        let columns = samples(left, right, width);
        let nearness = |x: f64| {
            let parts = parts.map(|(origin, across, down)| origin + down * y as f64 + across * x);
            parts[0] * a.z + parts[1] * b.z + parts[2] * c.z
        };
        let step = parts[0].1 * a.z + parts[1].1 * b.z + parts[2].1 * c.z;
        if !columns.is_empty() {
            let near = nearness(columns.start as f64);
            call(y * width + columns.start, columns.len(), near, step);
        }
    }
}

/// Returns the samples between two positions, out of `count`.
fn samples(low: f64, high: f64, count: usize) -> Range<usize> {
    let last = count as f64 - 1.0;
    let is_inside = low <= high && high >= 0.0 && low <= last;
    if !is_inside {
        return 0..0;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "within the picture"
    )]
    let whole = |value: f64| value.clamp(0.0, last) as usize;
    whole(libm::ceil(low))..whole(libm::floor(high)) + 1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use xform_cases::for_all;

    use super::*;

    #[test]
    fn each_sample_shows_the_nearest_triangle_that_it_is_within() {
        let (width, height) = (17, 11);
        let corner = (-6.0..24.0_f64, -5.0..15.0_f64, 0.0..9.0_f64);
        let facets = proptest::collection::vec([corner.clone(), corner.clone(), corner], 1..5);
        for_all("the corners of triangles", 200, facets, |facets| {
            let facet = |corners: [(f64, f64, f64); 3]| Facet {
                corners: corners.map(|(x, y, z)| Point3::new(x, y, z)),
                colour: [0.0; 3],
            };
            let facets: Vec<_> = facets.into_iter().map(facet).collect();
            let layer = Layer::new(width, height, &facets);
            for place in 0..layer.nearness.len() {
                let across = SAMPLES * width;
                let (x, y) = ((place % across) as f64, (place / across) as f64);
                let by = SAMPLES as f64;
                let at = Vector3::new((x + 0.5) / by, (y + 0.5) / by, 0.0);
                let mut is_near_an_edge = false;
                let mut nearest = f64::NEG_INFINITY;
                for Facet { corners: [a, b, c], .. } in &facets {
                    let part = |from: &Point3<f64>, to: &Point3<f64>| {
                        (to - from).xy().perp(&(at - from.coords).xy())
                    };
                    let parts = [part(b, c), part(c, a), part(a, b)];
                    let area: f64 = parts.iter().sum();
                    let parts = parts.map(|part| part / area);
                    is_near_an_edge |= parts.iter().any(|part| part.abs() < 1e-9);
                    if parts.iter().all(|&part| part >= 0.0) {
                        nearest = nearest.max(parts[0] * a.z + parts[1] * b.z + parts[2] * c.z);
                    }
                }
                let found = f64::from(layer.nearness[place]);
                let is_same = found == nearest || (found - nearest).abs() < 1e-5;
                prop_assert!(is_same || is_near_an_edge, "{found} {nearest} at {x} {y}");
            }
            Ok(())
        });
    }
}
