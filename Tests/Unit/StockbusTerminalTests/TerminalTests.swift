import Glibc
import TestTerminal
import Testing

@testable import StockbusTerminal

@Suite struct TerminalTests {
  /// The two ends of a pipe or of a pseudo-terminal; the output of a `Terminal` to one is read from the other.
  private final class Line {
    let near: Int32
    let far: Int32

    init(terminal size: TerminalSize? = nil) {
      var ends: [Int32] = [0, 0]
      if let size {
        // The system calls used by `posix_openpt`, `unlockpt` and `ptsname`, which are not in Swift's module of the C library (man 4 pts).
        ends[0] = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var locked: Int32 = 0
        var number: Int32 = 0
        _ = ioctl(ends[0], 0x4004_5431, &locked)
        _ = ioctl(ends[0], 0x8004_5430, &number)
        ends[1] = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        // Raw mode, so that the bytes are read as they were written.
        var mode = termios()
        tcgetattr(ends[1], &mode)
        cfmakeraw(&mode)
        tcsetattr(ends[1], TCSANOW, &mode)
        near = ends[1]
        far = ends[0]
        resize(size)
      } else {
        pipe(&ends)
        near = ends[1]
        far = ends[0]
      }
      _ = fcntl(far, F_SETFL, O_NONBLOCK)
    }

    deinit {
      close(near)
      close(far)
    }

    func resize(_ size: TerminalSize) {
      var window = winsize(ws_row: UInt16(size.rows), ws_col: UInt16(size.columns), ws_xpixel: 0, ws_ypixel: 0)
      _ = ioctl(near, UInt(TIOCSWINSZ), &window)
    }

    /// Everything written up to now.
    func received() -> [UInt8] {
      var all: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 4096)
      while case let n = read(far, &piece, 4096), n > 0 { all += piece[..<n] }
      return all
    }

    var text: String { String(decoding: received(), as: UTF8.self) }
  }

  private let environment = ["TERM": "xterm", "LANG": "C.UTF-8"]

  @Test func `off a terminal prints plain lines and shows no block`() async throws {
    let (output, errors) = (Line(), Line())
    let terminal = Terminal(SystemDevice(output: output.near, errors: errors.near), environment: environment)
    try await terminal.setBlock(["table"], owner: "screen")
    try await terminal.print(StyledLine("AAPL", Style(.red)))
    try await terminal.print("problem\u{1b}[2J", to: .standardError)
    try await terminal.finishBlock(owner: "screen")
    try await terminal.restore()
    #expect(output.text == "AAPL\n")
    #expect(errors.text == "problem[2J\n")
    #expect(await !terminal.isLive)
  }

  @Test func `two owners share the screen, with printed lines above both`() async throws {
    let size = TerminalSize(columns: 20, rows: 8)
    let line = Line(terminal: size)
    let terminal = Terminal(SystemDevice(output: line.near, errors: line.near), environment: environment)
    var model = ScreenModel(columns: 20, rows: 8)
    #expect(terminal.capabilities.isTerminal && terminal.size == size)

    try await terminal.print("started")
    try await terminal.setBlock(["AAPL 1", "MSFT 2"], owner: "table")
    try await terminal.setBlock(["log"], owner: "pane")
    try await terminal.print("warning", to: .standardError)
    try await terminal.setBlock(["AAPL 3", "MSFT 2"], owner: "table")
    model.feed(line.received())
    #expect(model.text == ["started", "warning", "AAPL 3", "MSFT 2", "log"])
    #expect(!model.isCursorVisible)

    try await terminal.finishBlock(owner: "table")
    model.feed(line.received())
    #expect(model.text == ["started", "warning", "AAPL 3", "MSFT 2", "log"])
    try await terminal.setBlock(nil, owner: "pane")
    try await terminal.setBlock(["again"], owner: "table")
    model.feed(line.received())
    #expect(model.text == ["started", "warning", "AAPL 3", "MSFT 2", "again"])

    try await terminal.restore()
    try await terminal.restore()
    try await terminal.print("bye")
    model.feed(line.received())
    #expect(model.text == ["started", "warning", "AAPL 3", "MSFT 2", "again", "bye"])
    #expect(model.isCursorVisible && model.wraps)
    #expect(model.complaints == [])
  }

  @Test func `follows the window's size`() async throws {
    let line = Line(terminal: .init(columns: 20, rows: 8))
    let terminal = Terminal(SystemDevice(output: line.near, errors: line.near), environment: environment)
    var model = ScreenModel(columns: 20, rows: 8)
    try await terminal.setBlock(["0123456789", "abcdefghij"], owner: "table")
    model.feed(line.received())
    line.resize(.init(columns: 4, rows: 6))
    model.resize(columns: 4, rows: 6)
    try await terminal.setBlock(["0123456789", "abcdefghij"], owner: "table")
    model.feed(line.received())
    #expect(model.text == ["0123", "abcd"])
    #expect(terminal.size == .init(columns: 4, rows: 6))
  }

  @Test func `a reader that has gone is an error that stays`() async {
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    close(ends[0])
    let terminal = Terminal(SystemDevice(output: ends[1]), environment: environment)
    let gone = TerminalError(stream: .standardOutput, code: EPIPE)
    await #expect(throws: gone) { try await terminal.print("one") }
    await #expect(throws: gone) { try await terminal.print("two") }
    #expect(await terminal.isBroken)
    #expect(gone.description == "cannot write to standard output: Broken pipe")
    #expect(gone.isBrokenPipe)
    close(ends[1])
  }

  @Test func `many tasks at once tear nothing`() async throws {
    let line = Line()
    let terminal = Terminal(SystemDevice(output: line.near), environment: environment)
    try await withThrowingTaskGroup { group in
      for task in 0..<8 {
        group.addTask { for number in 0..<50 { try await terminal.print("task \(task) line \(number)") } }
      }
      try await group.waitForAll()
    }
    let lines = line.text.split(separator: "\n").map(String.init)
    #expect(lines.count == 400)
    for task in 0..<8 { #expect(lines.filter { $0.hasPrefix("task \(task) ") } == (0..<50).map { "task \(task) line \($0)" }) }
  }

  @Test func `when there is not room for all blocks the highest gives way`() {
    var stack = BlockStack()
    stack.set(["a", "b", "c", "d", "e"], owner: "table")
    stack.set(["x", "y"], owner: "pane")
    #expect(stack.lines(rows: 9).map(\.text) == ["a", "b", "c", "d", "e", "x", "y"])
    #expect(stack.lines(rows: 5).map(\.text) == ["a", "b", "c", "x", "y"])
    #expect(stack.lines(rows: 2).map(\.text) == ["a", "x"])
    #expect(stack.lines(rows: 1).count == 1)
    stack.set(nil, owner: "table")
    #expect(stack.lines(rows: 5).map(\.text) == ["x", "y"])
  }
}

/// Sent to the process, not the thread, because the threads of the pool block such signals.
private func dieOf(_ signal: Int32) -> Never {
  kill(getpid(), signal)
  while true { pause() }
}

/// Each test runs in a process of its own, which is killed.
@Suite struct CrashRestoreTests {
  private static let restored = "\u{1b}[?2026l\u{1b}[0m\u{1b}[?7h\u{1b}[?25h\r\n"

  @Test func `gives the terminal back before the signal takes its course`() async {
    let result = await #expect(processExitsWith: .signal(SIGTERM), observing: [\.standardOutputContent]) {
      Terminal.installCrashRestore(for: [SIGTERM])
      CrashRestore.isLive(true, descriptor: 1)
      dieOf(SIGTERM)
    }
    #expect(result.map { String(decoding: $0.standardOutputContent, as: UTF8.self).contains(Self.restored) } == true)
  }

  @Test func `a trap of the program gives it back as well`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardOutputContent]) {
      Terminal.installCrashRestore()
      CrashRestore.isLive(true, descriptor: 1)
      let empty: [Int] = []
      _ = empty[Int.random(in: 1...2)]
    }
    #expect(result.map { String(decoding: $0.standardOutputContent, as: UTF8.self).contains(Self.restored) } == true)
  }

  @Test func `writes nothing where nothing is live`() async {
    let result = await #expect(processExitsWith: .signal(SIGTERM), observing: [\.standardOutputContent]) {
      Terminal.installCrashRestore(for: [SIGTERM])
      CrashRestore.isLive(true, descriptor: 1)
      CrashRestore.isLive(false, descriptor: 1)
      dieOf(SIGTERM)
    }
    #expect(result.map { String(decoding: $0.standardOutputContent, as: UTF8.self).contains("\u{1b}[?25h") } == false)
  }
}
