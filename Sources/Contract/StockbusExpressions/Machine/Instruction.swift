/// One step over a chunk of events: reads the events or earlier results, and writes a column of numbers or verdicts to a register.
enum Instruction: BitwiseCopyable {
  // Instructions that write numbers, to wide registers.
  case constant(to: Int, index: Int)
  case load(to: Int, Term.Load)
  case negate(Int)
  case absolute(Int)
  case add(to: Int, Int)
  case subtract(to: Int, Int, reversed: Bool)
  case multiply(to: Int, Int, Term.Scale)
  case divide(to: Int, Int, Term.Scale, reversed: Bool)
  case least(to: Int, Int)
  case greatest(to: Int, Int)
  // Instructions that write verdicts, to byte registers.
  case fill(to: Int, Verdict)
  case field(to: Int, Term.Load, Comparison, Int64)
  case fields(to: Int, Int, Comparison, Int)
  case compare(to: Int, Int, Comparison, Int)
  case contains(to: Int, Int, set: Int)
  case symbol(to: Int, offset: Int, test: Int)
  case sameSymbol(to: Int, Int, Int)
  case choice(to: Int, offset: Int, table: Int)
  case sameChoice(to: Int, Int, Int)
  case text(to: Int, offset: Int, set: Int)
  case not(Int)
  case and(to: Int, Int)
  case or(to: Int, Int)
  // Jumps that are taken if every event is already decided.
  case skipIfAllNo(Int, Int)
  case skipIfAllYes(Int, Int)
}
