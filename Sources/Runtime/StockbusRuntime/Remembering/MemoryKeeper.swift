package import StockbusConfig
internal import StockbusFiles
internal import StockbusPlugin

/// The memory of a run whose configuration asks for one: read before the run, and replaced when it has ended. Until then no other run has
/// the file.
package final class MemoryKeeper: Sendable {
  package let path: String
  /// What the run before has left.
  package let memory: RunMemory
  private let lock: LockFile

  /// Throws if another run has the file, or if it cannot be used.
  ///
  /// - Parameter forgetsAll: begins with an empty memory, also if the file is damaged.
  package init(_ path: String, forgetsAll: Bool = false) throws(MemoryFile.Failure) {
    self.path = path
    do throws(FileError) { lock = try LockFile(for: path) } catch {
      throw MemoryFile.Failure(description: error.description)
    }
    if forgetsAll {
      try MemoryFile.check(path)
      memory = RunMemory()
    } else {
      memory = try MemoryFile.read(path)
    }
  }

  /// What the run gets of it, for people.
  package func lines(in topology: Topology) -> [String] { Self.lines(memory, path, topology) }

  /// The same for a memory that was read.
  package static func lines(_ memory: RunMemory, _ path: String, _ topology: Topology) -> [String] {
    guard let time = memory.time else { return ["\(path): there is no memory of an earlier run; everything begins anew"] }
    let uses = memory.uses(in: topology)
    let kept = uses.filter { !$0.kept.isEmpty }.map { "\($0.component) (\($0.kept.joined(separator: ", ")))" }
    let goesOn = kept.isEmpty ? "nothing goes on" : "these go on: " + kept.joined(separator: ", ")
    return ["\(path): left at \(time); \(goesOn)"]
      + uses.compactMap { use in
        use.reason.map { "\(path): '\(use.component)' \($0): dropped: \(use.dropped.joined(separator: ", "))" }
      }
  }

  /// Lets another run have the file.
  package func release() { lock.release() }

  /// Leaves no memory to the next run.
  package func forget() throws(MemoryFile.Failure) { try MemoryFile.remove(path) }

  /// Keeps what this run leaves. Returns what cannot be written, and is left out.
  package func keep(_ memory: RunMemory) throws(MemoryFile.Failure) -> [String] {
    try MemoryFile.write(memory, to: path)
  }
}
