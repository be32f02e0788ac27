/// What can be repaired of a file, as far as somebody has tried. An audit alone does not try, so it knows of nothing: `repairs` of
/// `xform-fix` finds it, and advice names the command for what is here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repairs {
    /// The nodes with the uppermost non-uniform scale of what can be baked, in ascending order.
    pub baked: Vec<usize>,
    /// The same of what can be baked with scales on leaves of their own.
    pub to_leaves: Vec<usize>,
    /// The nodes whose scales can be made uniform, in ascending order.
    pub uniform: Vec<usize>,
}
