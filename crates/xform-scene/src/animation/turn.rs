// A turn is prepared once for all times within it. With this, four times in vector lanes, and a bound before each
// figure, audits take 0.6 of the time that they took before (docs/benchmarks.md, 2026-11-25).

/// A cache of the last turn that was computed, which is often needed again.
#[derive(Clone, Copy, Debug, Default)]
pub struct KnownTurn<'a>(Option<(&'a [f64; 4], Turn)>);

impl<'a> KnownTurn<'a> {
    /// The turn from a keyframe of a curve to the next. The cache identifies it by the address of the first keyframe.
    pub(super) fn between(&mut self, from: &'a [f64; 4], to: &[f64; 4]) -> Turn {
        match self.0 {
            Some((known, turn)) if std::ptr::eq(known, from) => turn,
            _ => self.0.insert((from, Turn::between(from, to))).1,
        }
    }
}

/// A turn at a constant rate from one rotation to another, the shorter way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    from: [f64; 4],
    to: [f64; 4],
    /// The angle between the two as vectors, half of the rotation angle, in radians.
    angle: f64,
    sine: f64,
}

impl Turn {
    fn between(from: &[f64; 4], to: &[f64; 4]) -> Self {
        let (from, to) = (unit(from), unit(to));
        let cosine: f64 = from.iter().zip(to).map(|(a, b)| a * b).sum();
        let to = if cosine < 0.0 { to.map(|component| -component) } else { to };
        // Half the angle from half the chord. This is exact for small angles, for which the cosine is not.
        let norm = |sign: f64| {
            let parts = from.iter().zip(to).map(|(a, b)| (a + sign * b) * (a + sign * b));
            parts.sum::<f64>().sqrt()
        };
        let angle = 2.0 * libm::atan2(norm(-1.0), norm(1.0));
        Self { from, to, angle, sine: libm::sin(angle) }
    }

    /// The quaternion after the fraction `part` of the turn.
    pub(super) fn after(&self, part: f64) -> [f64; 4] {
        // sin(p·α) / sin(α), which is p at α = 0.
        let weight = |part: f64| {
            if self.angle > 0.0 { libm::sin(part * self.angle) / self.sine } else { part }
        };
        let (keep, take) = (weight(1.0 - part), weight(part));
        std::array::from_fn(|i| keep * self.from[i] + take * self.to[i])
    }
}

/// Normalises a quaternion; zero stays zero.
fn unit(quaternion: &[f64; 4]) -> [f64; 4] {
    let largest = quaternion.iter().fold(0.0, |largest: f64, c| largest.max(c.abs()));
    if largest == 0.0 {
        return *quaternion;
    }
    let scaled = quaternion.map(|component| component / largest);
    let length = scaled.iter().map(|component| component * component).sum::<f64>().sqrt();
    scaled.map(|component| component / length)
}
