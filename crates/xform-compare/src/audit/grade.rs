use std::fmt;

use serde::{Deserialize, Serialize};
use xform_scene::FixtureKind;

use super::thresholds::{IDENTICAL_PERCENT, SKEWED_DEGREES};

// Grades are defined once, here, with constants of the library. Whatever reports how bad something is uses
// them: ranking, verdict, findings, colours, limits and `diff`. A node differs if its grade is worse than
// identical, so no count has a threshold of its own.
//
// The linear difference is not part of the grade of a node that draws something: 116 of 4 794 real files had
// nodes that "differ" by it, and in 100 of them nobody sees anything. Reports show it beside the grade.

/// How visible a difference is to a person.
///
/// The grade follows from the displacement, as a percentage of the scene's diagonal, and from the skew. A
/// displacement of 0.1 % is about a pixel if the whole scene is framed on a common screen. Skew alone,
/// without displacement, is never visible.
///
/// | grade | displacement | or |
/// |---|---|---|
/// | identical | at most [0.0001 %](Self::IDENTICAL_PERCENT), and skew at most [0.01°](SKEWED_DEGREES) | |
/// | negligible | less than visible | |
/// | visible | [0.1 %](Self::VISIBLE_PERCENT) or more | [0.01 %](Self::VISIBLE_IF_LARGE_PERCENT) or more, if it is also [5 %](Self::LARGE_PERCENT_OF_ITSELF) or more of the node's own size |
/// | severe | [2 %](Self::SEVERE_PERCENT) or more | |
#[derive(
    Clone, Copy, Debug, Default, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// The same, within the rounding of files.
    #[default]
    Identical,
    /// A difference that nobody sees.
    Negligible,
    /// A difference that is visible on a close look.
    Visible,
    /// A difference that nobody misses.
    Severe,
}

impl Grade {
    /// All grades, the best first.
    pub const ALL: [Self; 4] = [Self::Identical, Self::Negligible, Self::Visible, Self::Severe];

    /// The largest displacement that still counts as identical, as a percentage of the scene's diagonal: the
    /// size of `f32` rounding.
    pub const IDENTICAL_PERCENT: f64 = IDENTICAL_PERCENT;

    /// The displacement from which a node is visibly elsewhere, as a percentage of the scene's diagonal.
    pub const VISIBLE_PERCENT: f64 = 0.1;

    /// The displacement from which a small node is visibly elsewhere, as a percentage of the scene's
    /// diagonal. Small nodes are viewed from nearby.
    pub const VISIBLE_IF_LARGE_PERCENT: f64 = 0.01;

    /// The displacement that is large relative to a node, as a percentage of the node's own size.
    pub const LARGE_PERCENT_OF_ITSELF: f64 = 5.0;

    /// The displacement from which nobody misses the difference, as a percentage of the scene's diagonal.
    pub const SEVERE_PERCENT: f64 = 2.0;

    /// Returns the grade of a node with these figures: its displacement as a percentage of the scene's
    /// diagonal and of its own size, and its skew in degrees.
    ///
    /// `None` means undefined or not applicable, and counts as 0.
    #[must_use]
    pub fn new(
        percent_of_scene: Option<f64>,
        percent_of_itself: Option<f64>,
        skew_degrees: Option<f64>,
    ) -> Self {
        let [of_scene, of_itself, skew] =
            [percent_of_scene, percent_of_itself, skew_degrees].map(Option::unwrap_or_default);
        let is_large = of_itself >= Self::LARGE_PERCENT_OF_ITSELF;
        if of_scene >= Self::SEVERE_PERCENT {
            Self::Severe
        } else if of_scene >= Self::VISIBLE_PERCENT
            || is_large && of_scene >= Self::VISIBLE_IF_LARGE_PERCENT
        {
            Self::Visible
        } else if of_scene > Self::IDENTICAL_PERCENT || skew > SKEWED_DEGREES {
            Self::Negligible
        } else {
            Self::Identical
        }
    }

    /// The turn of a camera in degrees from which its picture visibly differs, and from which nobody misses
    /// it. A tenth of a degree is about a pixel of a common view.
    pub const CAMERA_DEGREES: [f64; 2] = [0.1, 2.0];

    /// The turn of a light in degrees from which its shading visibly differs, and from which nobody misses
    /// it. A degree makes a surface at most 1.7 % lighter or darker.
    pub const LIGHT_DEGREES: [f64; 2] = [1.0, 20.0];

    /// Returns the grade of a camera or light that points elsewhere by this angle. Up to
    /// [0.01°](SKEWED_DEGREES) is identical.
    #[must_use]
    pub fn of_turn(kind: FixtureKind, degrees: f64) -> Self {
        let [visible, severe] = match kind {
            FixtureKind::Camera => Self::CAMERA_DEGREES,
            _ => Self::LIGHT_DEGREES,
        };
        if degrees >= severe {
            Self::Severe
        } else if degrees >= visible {
            Self::Visible
        } else if degrees > SKEWED_DEGREES {
            Self::Negligible
        } else {
            Self::Identical
        }
    }

    /// Returns its name in reports: `identical`, `negligible`, `visible` or `severe`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Identical => "identical",
            Self::Negligible => "negligible",
            Self::Visible => "visible",
            Self::Severe => "severe",
        }
    }

    /// Whether a person sees the difference.
    #[must_use]
    pub fn is_seen(self) -> bool {
        self >= Self::Visible
    }
}

/// The number of nodes, or of scenes, of each grade.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GradeCounts {
    /// Those that are identical.
    pub identical: usize,
    /// Those with a difference that nobody sees.
    pub negligible: usize,
    /// Those with a difference that is visible on a close look.
    pub visible: usize,
    /// Those with a difference that nobody misses.
    pub severe: usize,
}

impl FromIterator<Grade> for GradeCounts {
    fn from_iter<I: IntoIterator<Item = Grade>>(grades: I) -> Self {
        let mut counts = Self::default();
        grades.into_iter().for_each(|grade| counts.add(grade));
        counts
    }
}

/// Writes the counts like `2 severe, 1 visible, 0 negligible, 3 identical`.
impl fmt::Display for GradeCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { identical, negligible, visible, severe } = self;
        write!(
            f,
            "{severe} severe, {visible} visible, {negligible} negligible, {identical} identical"
        )
    }
}

impl GradeCounts {
    /// Counts one more of this grade.
    pub fn add(&mut self, grade: Grade) {
        *match grade {
            Grade::Identical => &mut self.identical,
            Grade::Negligible => &mut self.negligible,
            Grade::Visible => &mut self.visible,
            Grade::Severe => &mut self.severe,
        } += 1;
    }

    /// Returns the number with a difference that a person sees.
    #[must_use]
    pub fn seen(&self) -> usize {
        self.visible + self.severe
    }

    /// Returns the total number.
    #[must_use]
    pub fn all(&self) -> usize {
        self.identical + self.negligible + self.seen()
    }

    /// Returns the worst grade with a count above zero; `Identical` if all counts are zero.
    #[must_use]
    pub fn worst(&self) -> Grade {
        let counts = [self.identical, self.negligible, self.visible, self.severe];
        let worst = Grade::ALL.into_iter().zip(counts).rev().find(|&(_, count)| count > 0);
        worst.map_or(Grade::Identical, |(grade, _)| grade)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bound_is_on_the_side_that_the_table_says() {
        let grade = |scene, itself, skew| Grade::new(Some(scene), Some(itself), Some(skew));
        assert_eq!(grade(1e-4, 100.0, 0.01), Grade::Identical);
        assert_eq!(grade(1.000_001e-4, 0.0, 0.0), Grade::Negligible);
        assert_eq!(grade(0.0, 0.0, 0.010_001), Grade::Negligible);
        assert_eq!(grade(0.0, 0.0, 90.0), Grade::Negligible);
        assert_eq!(grade(0.099_999, 4.999, 90.0), Grade::Negligible);
        assert_eq!(grade(0.009_999, 100.0, 90.0), Grade::Negligible);
        assert_eq!(grade(0.01, 5.0, 0.0), Grade::Visible);
        assert_eq!(grade(0.1, 0.0, 0.0), Grade::Visible);
        assert_eq!(grade(1.999_999, 100.0, 90.0), Grade::Visible);
        assert_eq!(grade(2.0, 0.0, 0.0), Grade::Severe);
        assert_eq!(grade(f64::INFINITY, 0.0, 0.0), Grade::Severe);
        assert_eq!(Grade::new(None, None, None), Grade::Identical);
    }

    #[test]
    fn counts_know_the_worst() {
        let mut counts = GradeCounts::default();
        assert_eq!(counts.worst(), Grade::Identical);
        for (i, grade) in Grade::ALL.into_iter().enumerate() {
            counts.add(grade);
            assert_eq!((counts.worst(), counts.all()), (grade, i + 1));
        }
        assert_eq!(counts.seen(), 2);
        assert_eq!(counts, Grade::ALL.into_iter().collect());
        assert_eq!(counts.to_string(), "1 severe, 1 visible, 1 negligible, 1 identical");
    }
}
