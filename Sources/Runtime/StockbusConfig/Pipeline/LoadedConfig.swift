package import StockbusPlugin

/// The contents of configuration files, with all problems found in them.
///
/// A checker continues with `description` even if there are problems, so that the user sees all of them at once. It reports nothing about
/// nodes at `standIns` and references to `rejected`, whose problems have been reported.
package struct LoadedConfig: Sendable {
  /// The part of the configuration that could be understood.
  package var description = PipelineDescription()
  package var problems = Problems()
  /// Ids whose component could not be understood, so that it is missing from `description`.
  package var rejected: Set<String> = []
  /// Places of nodes that stand in for one that could not be read, or whose text holds variables that could not be replaced.
  package var standIns: Set<ConfigNode.Mark> = []
  /// Entries among the components that are none, and may be options of the component before them.
  var strays: [Stray] = []
  /// True if a whole file or section could not be understood, so that any id may be missing.
  package var isIncomplete = false
  /// True if something was written twice and only the first was used, so that an input may be missing although it was written.
  package var lacksInputs = false
  /// Every file that was read, in order; these are to be watched for changes, together with the folders that were given.
  package var files: [String] = []

  /// An entry that is no component, with what was reported about it, and the place of the component before it in `description`.
  struct Stray: Sendable {
    let entry: ConfigNode.Entry
    let problems: [Problem]
    let owner: Int
  }

  package init() {}

  /// The description; throws all problems if there are any.
  package func checked() throws(Problems) -> PipelineDescription {
    guard problems.isEmpty else { throw problems }
    return description
  }

  /// Adds a problem, unless the place is a stand-in, whose problem has been reported.
  package mutating func report(_ message: String, at mark: ConfigNode.Mark) {
    if !standIns.contains(mark) { problems.add(message, at: mark) }
  }
}
