use xform_scene::BuiltIn;

use super::compare;
use crate::audit::{ParameterSweep, SweepSample};

const SCALES: [f64; 12] = [0.1, 0.25, 0.5, 0.75, 1.0, 1.1, 1.25, 1.5, 2.0, 3.0, 4.0, 10.0];
const STEP_DEGREES: u32 = 5;

/// Measures the [`ParameterSweep`] of twelve scales from 0.1 to 10 and turns from 0° to 90° in steps of 5°.
#[must_use]
pub fn measure_sweep() -> ParameterSweep {
    let turns = || (0..=90 / STEP_DEGREES).map(|step| f64::from(step * STEP_DEGREES));
    let samples = SCALES.iter().flat_map(|&s| turns().map(move |theta| sample(s, theta)));
    ParameterSweep { samples: samples.collect() }
}

fn sample(s: f64, theta_degrees: f64) -> SweepSample {
    let settings = [("s".to_owned(), s), ("theta".to_owned(), theta_degrees)];
    let scene = BuiltIn::named("skewed-child").map(|built_in| built_in.scene(&settings));
    let audit = scene.and_then(Result::ok).and_then(|scene| compare(&scene).ok());
    let child = &audit.expect("the sweep stays within the scene's ranges").nodes[1];
    let measured = |figure: Option<f64>| figure.expect("no scale of the sweep is zero");
    let theta = theta_degrees.to_radians();
    let (sine, stretch) = (libm::sin(theta), (s - 1.0).abs());
    let tan_skew = 0.5 * (s - 1.0 / s) * libm::sin(2.0 * theta);
    SweepSample {
        s,
        theta_degrees,
        skew_degrees: measured(child.skew_degrees),
        skew_closed_form_degrees: libm::atan(tan_skew).abs().to_degrees(),
        displacement: measured(child.displacement),
        displacement_closed_form: stretch * sine * 0.5_f64.sqrt(),
        linear_difference: measured(child.linear_difference),
        linear_difference_closed_form: stretch * sine * (2.0 / (s * s + 2.0)).sqrt(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured_is_what_the_closed_forms_say() {
        let sweep = measure_sweep();
        assert_eq!(sweep.samples.len(), 12 * 19);
        for sample in sweep.samples {
            let pairs = [
                (sample.skew_degrees, sample.skew_closed_form_degrees),
                (sample.displacement, sample.displacement_closed_form),
                (sample.linear_difference, sample.linear_difference_closed_form),
            ];
            for (measured, closed) in pairs {
                assert!((measured - closed).abs() <= 1e-9 * closed.max(0.1), "{sample:?}");
            }
        }
    }
}
