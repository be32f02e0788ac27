use thiserror::Error;

use super::BuiltIn;

/// A parameter of a [`BuiltIn`] scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its meaning, with its unit.
    pub meaning: &'static str,
    /// Its default value.
    pub default: f64,
    /// The smallest value allowed.
    pub min: f64,
    /// The largest value allowed.
    pub max: f64,
    /// Whether it counts something and must be whole.
    pub is_whole: bool,
}

impl Parameter {
    pub(super) const fn real(
        name: &'static str,
        meaning: &'static str,
        default: f64,
        min: f64,
        max: f64,
    ) -> Self {
        Self { name, meaning, default, min, max, is_whole: false }
    }

    pub(super) const fn whole(
        name: &'static str,
        meaning: &'static str,
        default: u32,
        min: u32,
        max: u32,
    ) -> Self {
        Self { is_whole: true, ..Self::real(name, meaning, default as f64, min as f64, max as f64) }
    }

    fn check(&self, value: f64) -> Result<(), SettingError> {
        let Self { name, min, max, .. } = *self;
        if !(min..=max).contains(&value) {
            return Err(SettingError::OutOfRange { name, value, min, max });
        }
        if self.is_whole && value.fract() != 0.0 {
            return Err(SettingError::NotWhole { name, value });
        }
        Ok(())
    }
}

/// The reason why a setting of a built-in scene was refused.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SettingError {
    /// The scene has no such parameter.
    #[error("scene `{scene}` has no setting `{name}`; it has {known}")]
    Unknown {
        /// The scene.
        scene: &'static str,
        /// The name that was given.
        name: String,
        /// The names of its parameters, as a list for people.
        known: String,
    },
    /// A value outside the parameter's range, or NaN.
    #[error("`{name}` is {value}, but must be from {min} to {max}")]
    OutOfRange {
        /// The parameter.
        name: &'static str,
        /// The value that was given.
        value: f64,
        /// The smallest value allowed.
        min: f64,
        /// The largest value allowed.
        max: f64,
    },
    /// A fraction for a parameter that counts something.
    #[error("`{name}` is {value}, but must be a whole number")]
    NotWhole {
        /// The parameter.
        name: &'static str,
        /// The value that was given.
        value: f64,
    },
}

/// The checked values of all parameters of a scene.
#[derive(Debug)]
pub(super) struct Settings {
    values: Vec<(&'static str, f64)>,
}

impl Settings {
    /// Later settings of the same name win.
    pub(super) fn checked(
        scene: &BuiltIn,
        settings: &[(String, f64)],
    ) -> Result<Self, SettingError> {
        let defaults = scene.parameters.iter().map(|parameter| (parameter.name, parameter.default));
        let mut values: Vec<_> = defaults.collect();
        for (name, value) in settings {
            let index = scene.parameters.iter().position(|parameter| parameter.name == name);
            let index = index.ok_or_else(|| unknown(scene, name))?;
            scene.parameters[index].check(*value)?;
            values[index].1 = *value;
        }
        Ok(Self { values })
    }

    pub(super) fn real(&self, name: &str) -> f64 {
        let value = self.values.iter().find(|(other, _)| *other == name);
        value.expect("a scene asks for the parameters it lists").1
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole parameters are declared and checked as u32"
    )]
    pub(super) fn whole(&self, name: &str) -> u32 {
        self.real(name) as u32
    }
}

fn unknown(scene: &BuiltIn, name: &str) -> SettingError {
    let known: Vec<_> =
        scene.parameters.iter().map(|parameter| format!("`{}`", parameter.name)).collect();
    SettingError::Unknown { scene: scene.name, name: name.to_owned(), known: known.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piston(name: &str, value: f64) -> Result<(), SettingError> {
        let piston = BuiltIn::named("piston").unwrap();
        piston.scene(&[(name.to_owned(), value)]).map(|_| ())
    }

    #[test]
    fn bad_settings_are_refused_by_name() {
        assert_eq!(piston("k", 0.25), Ok(()));
        let message = piston("q", 1.0).unwrap_err().to_string();
        assert_eq!(message, "scene `piston` has no setting `q`; it has `k`");
        for value in [0.0, 4.5, f64::NAN, f64::INFINITY] {
            assert!(matches!(piston("k", value), Err(SettingError::OutOfRange { .. })));
        }
        let levels = BuiltIn::named("levels").unwrap();
        let fraction = levels.scene(&[("n".to_owned(), 1.5)]);
        assert_eq!(fraction.unwrap_err(), SettingError::NotWhole { name: "n", value: 1.5 });
    }
}
