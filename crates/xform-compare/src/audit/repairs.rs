/// The repairs of a file that were tried and work.
///
/// An audit does not try repairs, so it leaves this empty. `repairs` of `xform-fix` fills it, and advice
/// names the command for the nodes in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repairs {
    /// The topmost nodes with a non-uniform scale that can be baked, in ascending order.
    pub baked: Vec<usize>,
    /// The same for scales that can be baked if they move to leaves of their own.
    pub to_leaves: Vec<usize>,
    /// The nodes whose scales can be made uniform, in ascending order.
    pub uniform: Vec<usize>,
}
