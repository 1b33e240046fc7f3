/// Why a run cannot be made, or cannot be read.
public struct RunError: Error, Hashable, CustomStringConvertible {
  /// One line each: in a configuration with file, line and column, in code with the place of the component.
  public let problems: [String]

  init(_ problems: [String]) { self.problems = problems }
  init(_ problem: String) { problems = [problem] }

  /// One problem on each line.
  public var description: String { problems.joined(separator: "\n") }
}
