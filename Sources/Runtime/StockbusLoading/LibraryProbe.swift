internal import LibC
internal import StockbusPlugin
internal import StockbusSystem

/// Loads a library in a separate process first: a library that traps or hangs while loading would end or block the run.
package enum LibraryProbe {
  /// The program's command that loads one library and ends; help does not list it.
  package static let command = "probe-library"
  /// How long loading may take.
  static let patience = Duration.seconds(10)
  /// The most bytes of the process's output that are kept.
  private static let textLimit = 16 << 10
  /// The contents of libraries that have passed the probe.
  private static let passed = Guarded(Set<String>())

  /// Performs the command: loads the library, and reads its plugin. A library that cannot be loaded is reported later, by the run itself.
  package static func load(_ path: String) {
    guard let plugin = LoadedLibrary.open(path) else { return }
    _ = (plugin.kind, plugin.emits, plugin.acceptedTypes, plugin.options.describe().count, plugin.commands.count)
  }

  /// Why a library cannot be loaded by this program, as the end of a sentence; nil if it can, or if no process can be started.
  package static func fault(of path: String, _ contents: String) -> String? {
    if passed.withLock({ $0.contains(contents) }) { return nil }
    guard let process = ProbeProcess(path) else { return nil }
    if let fault = process.outcome(patience, textLimit) { return fault }
    passed.withLock { _ = $0.insert(contents) }
    return nil
  }
}

/// The process that loads a library.
private struct ProbeProcess {
  private let id: pid_t
  private let output: Int32

  /// Nil if the process cannot be started.
  init?(_ path: String) {
    guard let program = BuildKit.ownPath, let pipe = DetachedProcess.pipe() else { return nil }
    defer { close(pipe.writing) }
    // Without the backtrace that Swift makes of a trap, as that would take seconds.
    let environment = ProcessEnvironment.variables.merging(["SWIFT_BACKTRACE": "enable=no"]) { _, set in set }
    let words = [program, LibraryProbe.command, path]
    let descriptors: [Int32: Int32] = [1: pipe.writing, 2: pipe.writing]
    guard let id = DetachedProcess.start(words, descriptors: descriptors, environment: environment.map { "\($0)=\($1)" }) else {
      close(pipe.reading)
      return nil
    }
    self.id = id
    output = pipe.reading
    _ = fcntl(output, F_SETFL, fcntl(output, F_GETFL) | O_NONBLOCK)
  }

  /// Waits for the end of the process, and kills it if that takes too long. Returns the library's problem.
  func outcome(_ patience: Duration, _ limit: Int) -> String? {
    defer { close(output) }
    let deadline = ContinuousClock.now + patience
    var text: [UInt8] = []
    var status: Int32 = 0
    while true {
      read(into: &text, limit)
      let ended = waitpid(id, &status, WNOHANG)
      if ended == id { break }
      if ended < 0, errno != EINTR { return "the process that loads its library ended unexpectedly" }
      if ContinuousClock.now >= deadline {
        kill(-id, SIGKILL)
        _ = try? retrying { waitpid(id, &status, 0) }
        return "its library does not finish loading: a process that loads it was killed after \(patience.optionText)"
      }
      var entry = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      _ = poll(&entry, 1, 20)
      // A closed pipe is ready at once.
      if entry.revents & Int16(POLLHUP) != 0, entry.revents & Int16(POLLIN) == 0 { usleep(1000) }
    }
    read(into: &text, limit)
    kill(-id, SIGKILL)
    if status == 0 { return nil }
    let how = status & 0x7f == 0 ? "status \(status >> 8 & 0xff)" : "signal \(status & 0x7f)"
    let lines = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline)
    let reason = (lines.first { $0.contains("Fatal error: ") } ?? lines.last).map { ": " + visible(String($0), limit: 300) } ?? ""
    return "its library crashes the process that loads it: \(how)\(reason)"
  }

  private func read(into text: inout [UInt8], _ limit: Int) {
    var bytes = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = LibC.read(output, &bytes, bytes.count)
      if count <= 0 { return }
      text += bytes.prefix(min(count, max(0, limit - text.count)))
    }
  }
}
