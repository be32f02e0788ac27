/// Returns the shortest decimal that parses to the same number, without a trailing `.0`. −0 becomes 0.
pub fn shortest(value: f64) -> String {
    let text = format!("{:?}", value + 0.0); // −0 + 0 is 0
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// Returns the number rounded to `digits` significant digits, for people. Only very small and very large numbers have
/// an exponent.
#[must_use]
pub fn significant(value: f64, digits: usize) -> String {
    let value = rounded(value, digits) + 0.0; // −0 + 0 is 0
    match value.abs() {
        0.0 | 1e-9..1e15 => format!("{value}"),
        _ => shortest(value),
    }
}

/// Returns a length as [`significant`] does, with its unit: the unit of the scene.
#[must_use]
pub fn units(value: f64, digits: usize) -> String {
    let value = significant(value, digits);
    if value == "1" { "1 unit".to_owned() } else { format!("{value} units") }
}

/// Returns the nearest number with `digits` significant digits.
#[must_use]
pub fn rounded(value: f64, digits: usize) -> f64 {
    let text = format!("{:.*e}", digits - 1, value + 0.0);
    text.parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_read_back_the_same() {
        let examples = [
            (-0.0, "0"),
            (2.0, "2"),
            (1e-6, "1e-6"),
            (0.1 + 0.2, "0.30000000000000004"),
            (-1e21, "-1e21"),
            (5e-324, "5e-324"),
        ];
        for (value, text) in examples {
            assert_eq!(shortest(value), text);
            assert_eq!(text.parse::<f64>().unwrap(), value);
        }
    }

    #[test]
    fn rounding_keeps_significant_digits_and_no_more() {
        assert_eq!(significant(36.04421, 4), "36.04");
        assert_eq!(significant(0.000_123_456, 3), "0.000123");
        assert_eq!(significant(99.99, 3), "100");
        assert_eq!(significant(0.0, 4), "0");
        assert_eq!(significant(-0.0, 4), "0");
        assert_eq!(significant(0.000_023_554, 4), "0.00002355");
        assert_eq!(significant(1.4e-17, 2), "1.4e-17");
        assert_eq!(significant(123_456_789.0, 4), "123500000");
    }
}
