internal import LibC
internal import StockbusSystem

/// The processes that a program has started, in any session: they are recognised by an inherited variable.
///
/// A session does not contain processes that begin their own, as daemons do. A process without the variable, or of another user, is not
/// found; without `/proc` none is found.
enum Descendants {
  static let variable = "STOCKBUS_PROGRAM"
  /// The most rounds of searching for processes that were started during the killing.
  private static let rounds = 50
  /// The most bytes of a process's variables.
  private static let sizeLimit = 1 << 20

  /// Returns once no process has the variable with this value, or `time` has passed.
  static func haveEnded(_ mark: String, within time: Duration) async {
    let deadline = ContinuousClock.now + time
    while .now < deadline, !found(mark).isEmpty { try? await Task.sleep(for: .milliseconds(10)) }
  }

  /// Kills the processes that have the variable with this value.
  static func kill(_ mark: String) async {
    for _ in 0..<rounds {
      let found = found(mark)
      if found.isEmpty { return }
      for id in found { signal(id) }
      // Killed processes are listed until they have ended.
      try? await Task.sleep(for: .milliseconds(4))
    }
  }

  private static func found(_ mark: String) -> [pid_t] {
    let entry = Array("\(variable)=\(mark)".utf8)
    return ((try? FolderListing.names("/proc")) ?? []).compactMap { pid_t($0) }.filter { $0 > 1 && has($0, entry) }
  }

  private static func has(_ id: pid_t, _ entry: [UInt8]) -> Bool {
    guard let file = try? FileDescriptor.opening("/proc/\(id)/environ", .readOnly) else { return false }
    defer { try? file.shut() }
    guard let bytes = try? file.readToEnd(atMost: sizeLimit) else { return false }
    return bytes.split(separator: 0).contains { $0.elementsEqual(entry) }
  }

  private static func signal(_ id: pid_t) {
    _ = LibC.kill(id, SIGKILL)
  }
}
