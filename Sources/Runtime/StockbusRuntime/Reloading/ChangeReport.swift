package import StockbusConfig

/// The result of a requested change, or what a change would do.
package struct ChangeReport: Error, Codable, Sendable, Hashable {
  package enum Outcome: String, Codable, Sendable, Hashable {
    /// Nothing was changed, as only the plan was requested.
    case planned
    case done
    /// The configuration has problems; the run continues as before.
    case invalid
    /// The change is impossible, or a component did not start; the run continues as before, except for the `consequence`.
    case refused
  }

  /// The step for one component.
  package struct Step: Codable, Sendable, Hashable {
    package var id: String
    package var step: TopologyDifference.Step
    /// The keys of the component that are written differently.
    package var changed: [String] = []
    /// The events that wait for the component.
    package var waiting: [Waiting] = []
  }

  package struct Waiting: Codable, Sendable, Hashable {
    package var from: String
    package var events: Int
  }

  package var outcome: Outcome
  /// One line: what was or would be done, or why not.
  package var message: String
  /// After a failed change: what is not as before, such as a component that has ended; nil if everything is.
  package var consequence: String?
  /// The problems of the configuration, each with its place.
  package var problems: [String] = []
  package var warnings: [String] = []
  /// The steps in upstream order, removed components last.
  package var steps: [Step] = []

  package init(
    _ outcome: Outcome, _ message: String, _ steps: [Step] = [], problems: [String] = [], warnings: [String] = []
  ) {
    self.outcome = outcome
    self.message = message
    self.problems = problems
    self.warnings = warnings
    self.steps = steps
  }

  /// Why nothing was changed, in one line; nil if that was not the case.
  var problem: String? {
    switch outcome {
    case .planned, .done: nil
    case .invalid, .refused:
      "the configuration was not reloaded: \(problems.first ?? message)\(problems.count > 1 ? " (and \(problems.count - 1) more)" : "")"
    }
  }

  /// The report as lines for a log or a terminal.
  package var lines: [String] {
    switch outcome {
    case .planned: warnings + [message]
    case .done: warnings + ["reloaded: \(message)"]
    case .invalid, .refused: problems + ["not reloaded: \(message); \(consequence ?? "the run continues as before")"]
    }
  }
}
