internal import LibC
internal import StockbusFiles
internal import StockbusPlugin
internal import StockbusSystem
internal import StockbusViewing

/// The viewer's saved state from one run to the next: the watchlist and the alerts, one on each line.
struct ViewerMemory: Hashable {
  var watchlist: [Symbol] = []
  var alerts: [PriceAlert] = []

  static let head = "# stockbus console_viewer"
  /// Further entries are not read, nor are files longer than a megabyte.
  static let limit = 10_000

  init(watchlist: [Symbol] = [], alerts: [PriceAlert] = []) {
    self.watchlist = watchlist
    self.alerts = alerts
  }

  /// Parses a text; malformed lines are left out and counted.
  init(text: String, damaged: inout Int) {
    // A name may contain characters that Unicode counts as line ends, and blanks at its ends, so the text is split as bytes.
    for line in text.utf8.split(separator: UInt8(ascii: "\n")).prefix(Self.limit) {
      if line.first == UInt8(ascii: "#") { continue }
      let line = line.last == 13 ? line.dropLast() : line
      let words = line.split(separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false).map { String(Substring($0)) }
      if words.count == 2, words[0] == "watch", let symbol = try? Symbol(words[1]) {
        if !watchlist.contains(symbol) { watchlist.append(symbol) }
      } else if words.count == 2, words[0] == "alert", let alert = PriceAlert(words[1]) {
        if !alerts.contains(alert) { alerts.append(alert) }
      } else {
        damaged += 1
      }
    }
  }

  var text: String {
    ([Self.head] + watchlist.map { "watch \($0)" } + alerts.map { "alert \($0.text)" })
      .joined(separator: "\n") + "\n"
  }

  // MARK: The file

  /// The default path; nil if there is no home folder.
  static var usualPath: String? { usualStatePath("console_viewer") }

  /// The contents of the file at `path`.
  enum Found {
    /// The contents, and the number of malformed lines; empty if there is no file.
    case memory(ViewerMemory, damaged: Int)
    /// The file cannot be read; the reason.
    case unreadable(String)
  }

  /// Reads the file. It is unreadable if it is not a plain file, cannot be opened or is longer than a megabyte; malformed lines are
  /// counted.
  static func read(_ path: String) -> Found {
    do throws(Errno) {
      let file = try FileDescriptor.opening(path, .readOnly, .nonBlocking)
      defer { try? file.shut() }
      var status = stat()
      guard fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return .unreadable("it is not a regular file") }
      let bytes = try file.readToEnd(atMost: 1 << 20 + 1)
      if bytes.count > 1 << 20 { return .unreadable("it is longer than a megabyte") }
      var damaged = 0
      let memory = ViewerMemory(text: String(decoding: bytes, as: UTF8.self), damaged: &damaged)
      return .memory(memory, damaged: damaged)
    } catch {
      return error == .noSuchFileOrDirectory || error == .notDirectory ? .memory(ViewerMemory(), damaged: 0) : .unreadable("\(error)")
    }
  }

  /// Replaces the file. Throws an error with one sentence.
  func write(to path: String) throws(CommandError) {
    do throws(FileError) { try WholeFile.replace(path, with: Array(text.utf8)) } catch { throw CommandError(error.description) }
  }

  /// Renames the file at `path` to a free name, and returns that name. Throws an error with one sentence if that fails.
  static func setAside(_ path: String) throws(CommandError) -> String {
    for number in 1...1000 {
      let name = "\(path).aside-\(number)"
      var status = stat()
      if lstat(name, &status) == 0 { continue }
      if rename(path, name) == 0 || errno == ENOENT { return name }
      break
    }
    throw CommandError("\(path) cannot be read or renamed: \(String(cString: strerror(errno))); nothing will be saved")
  }
}

/// Reads and writes the file on a separate thread, so that it does not block the threads of components.
actor ViewerStore {
  private let executor = BlockingExecutor(label: "console_viewer")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let path: String

  /// True if the existing file had malformed lines or could not be read; then it is renamed instead of being replaced.
  private var isDamaged = false

  private static let purpose = "(the watchlist and the alerts)"

  init(path: String) { self.path = path }

  /// Saves the memory. Returns the new name of the old file if that was damaged.
  func keep(_ memory: ViewerMemory) throws(CommandError) -> String? {
    let aside = isDamaged ? try ViewerMemory.setAside(path) : nil
    isDamaged = false
    try memory.write(to: path)
    return aside
  }

  /// The saved memory, and the fault of the file in one sentence.
  func recall() -> (ViewerMemory, fault: String?) {
    switch ViewerMemory.read(path) {
    case .memory(let memory, damaged: 0): return (memory, nil)
    case .memory(let memory, let damaged):
      isDamaged = true
      let lines = damaged == 1 ? "a line" : "\(damaged) lines"
      return (memory, "\(lines) of \(path) \(Self.purpose) could not be read; the file will be kept beside the new one")
    case .unreadable(let reason):
      isDamaged = true
      return (ViewerMemory(), "\(path) \(Self.purpose) cannot be read (\(reason)); it will be kept beside the new one")
    }
  }
}
