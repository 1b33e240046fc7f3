internal import MarketData
internal import StockbusPlugin

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// What the viewer keeps from one run of the program to the next: the watchlist and the alerts, a line each.
struct ViewerMemory: Hashable {
  var watchlist: [Symbol] = []
  var alerts: [PriceAlert] = []

  static let head = "# stockbus console_viewer"
  /// Entries beyond this are not taken; nor are files that are longer than a megabyte.
  static let limit = 10_000

  init(watchlist: [Symbol] = [], alerts: [PriceAlert] = []) {
    self.watchlist = watchlist
    self.alerts = alerts
  }

  /// Reads a text; what is not understood is left out and counted.
  init(text: String, damaged: inout Int) {
    for line in text.split(whereSeparator: \.isNewline).prefix(Self.limit) {
      if line.hasPrefix("#") { continue }
      let words = line.split(separator: " ", maxSplits: 1).map(String.init)
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

  /// Where it is unless a configuration says otherwise; nil without a home.
  static var usualPath: String? {
    func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil } }
    let folder = value("XDG_STATE_HOME") ?? value("HOME").map { $0 + "/.local/state" }
    return folder.map { $0 + "/stockbus/console_viewer" }
  }

  /// What the file holds; empty where there is none. Damage is counted, never an error.
  static func read(_ path: String, damaged: inout Int) -> ViewerMemory {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return ViewerMemory() }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while bytes.count < 1 << 20 {
      let n = Glibcless.read(descriptor, &piece)
      if n <= 0 { break }
      bytes += piece[..<n]
    }
    return ViewerMemory(text: String(decoding: bytes, as: UTF8.self), damaged: &damaged)
  }

  /// Puts the file in place at once: a reader sees the old one or the new one, whatever happens. Throws a sentence.
  func write(to path: String) throws(CommandError) {
    var folder = ""
    for part in path.split(separator: "/", omittingEmptySubsequences: false).dropLast() {
      folder += part + "/"
      if folder != "/" { _ = mkdir(folder, 0o700) }
    }
    let temporary = "\(path).\(getpid())"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    func failure(_ what: String) -> CommandError { CommandError("\(what) \(path): \(String(cString: strerror(errno)))") }
    guard descriptor >= 0 else { throw failure("cannot write") }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let n = Glibcless.write(descriptor, Array(rest))
      if n < 0, errno == EINTR { continue }
      guard n > 0 else {
        let error = failure("cannot write")
        close(descriptor)
        unlink(temporary)
        throw error
      }
      rest = rest.dropFirst(n)
    }
    // The text has to be there before the name is.
    _ = fsync(descriptor)
    close(descriptor)
    guard rename(temporary, path) == 0 else {
      let error = failure("cannot replace")
      unlink(temporary)
      throw error
    }
  }
}

/// The C library's calls under names that nothing here hides.
private enum Glibcless {
  static func read(_ descriptor: Int32, _ buffer: inout [UInt8]) -> Int {
    let count = buffer.count
    #if canImport(Darwin)
    return Darwin.read(descriptor, &buffer, count)
    #else
    return Glibc.read(descriptor, &buffer, count)
    #endif
  }

  static func write(_ descriptor: Int32, _ bytes: [UInt8]) -> Int {
    #if canImport(Darwin)
    Darwin.write(descriptor, bytes, bytes.count)
    #else
    Glibc.write(descriptor, bytes, bytes.count)
    #endif
  }
}

/// Where files are written: off the threads that others need.
actor ViewerStore {
  private let executor = BlockingExecutor(label: "console_viewer")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let path: String

  init(path: String) { self.path = path }

  func keep(_ memory: ViewerMemory) throws(CommandError) { try memory.write(to: path) }

  func recall(damaged: inout Int) -> ViewerMemory { ViewerMemory.read(path, damaged: &damaged) }
}
