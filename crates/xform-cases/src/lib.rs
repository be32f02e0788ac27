//! Property tests with fixed random cases. The cases are the same in every run: a test that passes keeps passing, and
//! one that fails does so for everybody. `.ci/search` tries other cases, and more of them.

use std::{any::Any, env, fmt::Debug, str::FromStr};

use proptest::{
    strategy::{BoxedStrategy, Strategy},
    test_runner::{Config, RngSeed, TestCaseResult, TestError, TestRunner},
};

/// The environment variable that sets the seed. The default is 0.
const SEED: &str = "XFORM_SEED";
/// The environment variable that multiplies the number of cases: for example 20, or 0.05 under a slow interpreter.
const TIMES: &str = "XFORM_CASES_TIMES";

/// Defines tests of properties that hold for all values drawn from proptest strategies, in the notation of proptest's
/// own macro:
///
/// ```text
/// properties! {
///     #![cases(64)]
///
///     #[test]
///     fn turns_keep_lengths(turn in rotation(), v in vector()) {
///         prop_assert!(((turn * v).norm() - v.norm()).abs() < 1e-12);
///     }
/// }
/// ```
#[macro_export]
macro_rules! properties {
    (#![cases($cases:expr)] $($tests:tt)*) => {
        $crate::properties!(@each $cases; $($tests)*);
    };
    (@each $cases:expr; $(
        $(#[$attribute:meta])*
        fn $name:ident($($given:pat in $strategy:expr),+ $(,)?) $law:block
    )*) => {$(
        $(#[$attribute])*
        fn $name() {
            $crate::for_all(
                stringify!($($given),+),
                $cases,
                ($($strategy,)+),
                |($($given,)+)| {
                    $law
                    Ok(())
                },
            );
        }
    )*};
    ($(#[$attribute:meta])* fn $($tests:tt)*) => {
        $crate::properties!(@each 256; $(#[$attribute])* fn $($tests)*);
    };
}

/// A value of any type. All tests share one runner, which is compiled once.
trait Value: Any + Debug {}

impl<T: Any + Debug> Value for T {}

/// Draws `cases` cases and checks the law on each. `names` are the names of the parts of a case.
///
/// # Panics
///
/// If the law fails for a case, with the smallest failing case found; or if too many cases are rejected to decide.
#[track_caller]
pub fn for_all<S>(names: &str, cases: u32, strategy: S, law: impl Fn(S::Value) -> TestCaseResult)
where
    S: Strategy + 'static,
    S::Value: 'static,
{
    let any = strategy.prop_map(|value| Box::new(value) as Box<dyn Value>).boxed();
    let failed = failure(cases, &any, &|value: Box<dyn Value>| {
        let value: Box<dyn Any> = value;
        law(*value.downcast().expect("it was drawn from this strategy"))
    });
    if let Some(failed) = failed {
        panic!("of ({names}): {failed}");
    }
}

fn failure(
    cases: u32,
    strategy: &BoxedStrategy<Box<dyn Value>>,
    law: &dyn Fn(Box<dyn Value>) -> TestCaseResult,
) -> Option<String> {
    let seed = variable(SEED).unwrap_or(0);
    let times = variable(TIMES).unwrap_or(1.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the number of cases is small and not negative"
    )]
    let cases = (f64::from(cases) * times).max(1.0) as u32;
    let config = Config {
        cases,
        rng_seed: RngSeed::Fixed(seed),
        // Failing cases are turned into tests of their own, so nothing is recorded.
        failure_persistence: None,
        ..Config::default()
    };
    let max_global_rejects = config.max_global_rejects.max(cases.saturating_mul(4));
    let mut runner = TestRunner::new(Config { max_global_rejects, ..config });
    let because = match runner.run(strategy, law) {
        Ok(()) => return None,
        Err(TestError::Abort(reason)) => format!("{reason}"),
        Err(TestError::Fail(reason, least)) => {
            format!("{reason}\nthe smallest failing case found: {least:#?}")
        }
    };
    Some(format!("{because}\nof {cases} cases with {SEED}={seed}"))
}

/// Returns the value of an environment variable.
#[track_caller]
fn variable<T: FromStr>(name: &str) -> Option<T> {
    let value = env::var(name).ok()?;
    match value.parse() {
        Ok(value) => Some(value),
        Err(_) => panic!("{name}: not a number: {value}"),
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, panic};

    use proptest::prelude::*;

    use super::for_all;

    fn drawn() -> Vec<u64> {
        let seen = RefCell::new(Vec::new());
        for_all("number", 20, any::<u64>(), |number| {
            seen.borrow_mut().push(number);
            Ok(())
        });
        seen.into_inner()
    }

    #[test]
    fn the_cases_are_the_same_every_time() {
        assert_eq!(drawn(), drawn());
        assert!(drawn().windows(2).any(|two| two[0] != two[1]));
    }

    #[test]
    fn a_failure_names_the_least_case_and_the_seed() {
        let failed = panic::catch_unwind(|| {
            for_all("number", 256, (0_u32..1000,), |(number,)| {
                prop_assert!(number < 17, "too large");
                Ok(())
            });
        });
        let message = *failed.unwrap_err().downcast::<String>().unwrap();
        for part in ["of (number): ", "too large", "17", "XFORM_SEED="] {
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn a_law_that_asks_for_what_is_never_drawn_does_not_pass() {
        let failed = panic::catch_unwind(|| {
            for_all("number", 4, (0_u32..1000,), |(number,)| {
                prop_assume!(number > 1000);
                Ok(())
            });
        });
        assert!(failed.is_err());
    }

    crate::properties! {
        #![cases(3)]

        #[test]
        fn a_test_is_written_as_proptest_has_it((a, b) in any::<(u8, u8)>(), mut sum in 0_u16..9,) {
            sum += u16::from(a) + u16::from(b);
            prop_assert!(sum >= u16::from(a));
        }
    }
}
