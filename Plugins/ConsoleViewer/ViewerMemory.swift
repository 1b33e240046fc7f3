internal import MarketData
internal import StockbusPlugin
internal import StockbusSystem

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
    // A name may hold what looks like the end of a line to Unicode, and blanks at its ends.
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

  /// Where it is unless a configuration says otherwise; nil without a home.
  static var usualPath: String? {
    func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil } }
    let folder = value("XDG_STATE_HOME") ?? value("HOME").map { $0 + "/.local/state" }
    return folder.map { $0 + "/stockbus/console_viewer" }
  }

  /// What there is at `path`.
  enum Found {
    /// Empty where there is no file. With what could not be understood of it.
    case memory(ViewerMemory, damaged: Int)
    /// Something that cannot be read, and why.
    case unreadable(String)
  }

  /// A file that is no file, cannot be opened or goes on beyond a megabyte is unreadable; damage within is counted.
  static func read(_ path: String) -> Found {
    do throws(Errno) {
      let file = try FileDescriptor.opening(path, .readOnly, .nonBlocking)
      defer { try? file.shut() }
      var status = stat()
      guard fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return .unreadable("it is no plain file") }
      let bytes = try file.readToEnd(atMost: 1 << 20 + 1)
      if bytes.count > 1 << 20 { return .unreadable("it is longer than a megabyte") }
      var damaged = 0
      let memory = ViewerMemory(text: String(decoding: bytes, as: UTF8.self), damaged: &damaged)
      return .memory(memory, damaged: damaged)
    } catch {
      return error == .noSuchFileOrDirectory || error == .notDirectory ? .memory(ViewerMemory(), damaged: 0) : .unreadable("\(error)")
    }
  }

  /// Puts the file in place at once: a reader sees the old one or the new one, whatever happens. Throws a sentence.
  func write(to path: String) throws(CommandError) {
    var folder = ""
    for part in path.split(separator: "/", omittingEmptySubsequences: false).dropLast() {
      folder += part + "/"
      if folder != "/" { _ = mkdir(folder, 0o700) }
    }
    // A name that nobody can guess, and never a file or a link that is there already.
    let temporary = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36))"
    var isMade = false
    do throws(Errno) {
      let file = try FileDescriptor.opening(
        temporary, .writeOnly, [.create, .exclusiveCreate, .noFollow], permissions: .ownerReadWrite)
      isMade = true
      defer { try? file.shut() }
      var text = text
      try throwingErrno { try text.withUTF8 { try file.writeWhole(UnsafeRawBufferPointer($0)) } }
      // The text has to be there before the name is.
      _ = try? retrying { fsync(file.rawValue) }
    } catch {
      if isMade { unlink(temporary) }
      throw CommandError("cannot write \(path): \(error)")
    }
    do throws(Errno) { try retrying { rename(temporary, path) } } catch {
      unlink(temporary)
      throw CommandError("cannot replace \(path): \(error)")
    }
  }

  /// Gives what is at `path` another name, one that is free, and answers it. Throws a sentence where that is not possible.
  static func setAside(_ path: String) throws(CommandError) -> String {
    for number in 1...1000 {
      let name = "\(path).aside-\(number)"
      var status = stat()
      if lstat(name, &status) == 0 { continue }
      if rename(path, name) == 0 || errno == ENOENT { return name }
      break
    }
    throw CommandError("\(path) cannot be read, and not be put aside: \(String(cString: strerror(errno))); nothing is kept")
  }
}

/// Where files are written: off the threads that others need.
actor ViewerStore {
  private let executor = BlockingExecutor(label: "console_viewer")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let path: String

  /// What is there was not understood, or not as a whole: it is put aside before something else takes its place.
  private var isDamaged = false

  private static let purpose = "(the watchlist and the alerts)"

  init(path: String) { self.path = path }

  /// Keeps it; answers the name under which what was there before is kept, where that was not understood.
  func keep(_ memory: ViewerMemory) throws(CommandError) -> String? {
    let aside = isDamaged ? try ViewerMemory.setAside(path) : nil
    isDamaged = false
    try memory.write(to: path)
    return aside
  }

  /// What was kept, and what is wrong with it in one sentence.
  func recall() -> (ViewerMemory, fault: String?) {
    switch ViewerMemory.read(path) {
    case .memory(let memory, damaged: 0): return (memory, nil)
    case .memory(let memory, let damaged):
      isDamaged = true
      let lines = damaged == 1 ? "a line" : "\(damaged) lines"
      return (memory, "\(lines) of \(path) \(Self.purpose) could not be read; the file will be kept beside the next one")
    case .unreadable(let reason):
      isDamaged = true
      return (ViewerMemory(), "\(path) \(Self.purpose) cannot be read (\(reason)); it will be kept beside the next one")
    }
  }
}
