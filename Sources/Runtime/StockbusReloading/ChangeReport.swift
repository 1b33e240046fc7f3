package import StockbusConfig

/// What came of a change that was asked for, or what a change would do.
package struct ChangeReport: Error, Codable, Sendable, Hashable {
  package enum Outcome: String, Codable, Sendable, Hashable {
    /// Nothing was changed, as only the plan was asked for.
    case planned
    case done
    /// The configuration has problems; the run goes on as before.
    case invalid
    /// The run cannot change so, or a component did not start; it goes on as before, but for the `consequence`.
    case refused
  }

  /// What is done with one component.
  package struct Step: Codable, Sendable, Hashable {
    package var id: String
    package var step: TopologyDifference.Step
    /// The keys of the component that are written differently.
    package var changed: [String] = []
    /// The events that wait for it.
    package var waiting: [Waiting] = []
  }

  package struct Waiting: Codable, Sendable, Hashable {
    package var from: String
    package var events: Int
  }

  package var outcome: Outcome
  /// One line: what was done or would be, or why not.
  package var message: String
  /// Where a change has failed: what is not as before, such as that a component is gone; nil if all is.
  package var consequence: String?
  /// The problems of the configuration, each with its place.
  package var problems: [String] = []
  package var warnings: [String] = []
  /// In upstream order, removed components last.
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

  /// What there is to say, for a log or a terminal.
  package var lines: [String] {
    switch outcome {
    case .planned: warnings + [message]
    case .done: warnings + ["reloaded: \(message)"]
    case .invalid, .refused: problems + ["not reloaded: \(message); \(consequence ?? "the run goes on as before")"]
    }
  }
}
