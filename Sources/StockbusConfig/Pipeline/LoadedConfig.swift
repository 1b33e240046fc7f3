public import StockbusPlugin

/// What was read from configuration files, with everything that is wrong in it.
///
/// A checker goes on with `description` even if there are problems, so that people see all at once; it says nothing about nodes at
/// `standIns` and about references to `rejected`, whose problems have been told.
public struct LoadedConfig: Sendable {
  /// Whatever could be understood.
  public var description = PipelineDescription()
  public var problems = Problems()
  /// Ids that were written but whose component could not be understood, so it is missing from `description`.
  public var rejected: Set<String> = []
  /// Places whose node stands in for one that could not be read, or whose text holds variables that could not be replaced.
  public var standIns: Set<ConfigNode.Mark> = []
  /// True where a whole file could not be understood, so that any id may be missing.
  public var isIncomplete = false
  /// True where something was written twice and only the first taken, so that an input may be missing although it was written.
  public var lacksInputs = false
  /// Every file that was read, in order: what is to be watched for changes, together with the folders that were given.
  public var files: [String] = []

  public init() {}

  /// The description if nothing is wrong; throws every problem at once otherwise.
  public func checked() throws(Problems) -> PipelineDescription {
    guard problems.isEmpty else { throw problems }
    return description
  }

  /// Adds a problem unless the one of a stand-in at that place has been told.
  public mutating func report(_ message: String, at mark: ConfigNode.Mark) {
    if !standIns.contains(mark) { problems.add(message, at: mark) }
  }
}
