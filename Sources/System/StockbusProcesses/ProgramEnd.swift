/// How a program has ended.
package enum ProgramEnd: Hashable, Sendable, CustomStringConvertible {
  case exited(Int)
  case killed(signal: Int)

  /// A description, as the end of a sentence about the program.
  package var description: String {
    switch self {
    case .exited(let status): "ended with status \(status)"
    case .killed(let signal): "ended by signal \(signal)"
    }
  }
}
