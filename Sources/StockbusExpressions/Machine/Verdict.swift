/// What an expression says of an event, in the three-valued logic of Kleene.
///
/// A comparison whose arithmetic has no result (a division by zero, a number beyond the range) is undecided; so is whatever depends on
/// it. `not` of undecided is undecided, `false and` undecided is false, `true or` undecided is true.
public enum Verdict: UInt8, BitwiseCopyable, Sendable {
  // In this order: `and` is the lesser, `or` the greater of two.
  case no, undecided, yes
}
