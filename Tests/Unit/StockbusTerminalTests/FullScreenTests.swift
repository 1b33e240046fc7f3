import Glibc
import Synchronization
import Testing

@testable import StockbusTerminal

/// One at a time: signals and their pipe belong to the process.
@Suite(.serialized) struct FullScreenTests {
  /// A pseudo-terminal as a shell sets it up.
  private final class Pseudo {
    let master: Int32
    let slave: Int32

    init() {
      // The system calls used by `posix_openpt`, `unlockpt` and `ptsname`, which are not in Swift's module of the C library (man 4 pts).
      master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
      var locked: Int32 = 0
      var number: Int32 = 0
      _ = ioctl(master, 0x4004_5431, &locked)
      _ = ioctl(master, 0x8004_5430, &number)
      slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
      var window = winsize(ws_row: 6, ws_col: 30, ws_xpixel: 0, ws_ypixel: 0)
      _ = ioctl(slave, UInt(TIOCSWINSZ), &window)
      _ = fcntl(master, F_SETFL, O_NONBLOCK)
    }

    deinit {
      close(slave)
      close(master)
    }

    func received() -> String {
      var all: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 4096)
      while case let n = read(master, &piece, 4096), n > 0 { all += piece[..<n] }
      return String(decoding: all, as: UTF8.self)
    }

    /// True if lines are edited and keys are echoed, as a shell's programs expect.
    var isCooked: Bool {
      var mode = termios()
      tcgetattr(slave, &mode)
      return mode.c_lflag & tcflag_t(ICANON) != 0 && mode.c_lflag & tcflag_t(ECHO) != 0
    }

    func type(_ text: String) { _ = Array(text.utf8).withUnsafeBytes { write(master, $0.baseAddress, $0.count) } }
  }

  /// The input that the owner of the screen gets.
  private final class Inbox: Sendable {
    private let stream = AsyncStream.makeStream(of: ScreenInput.self)
    var receive: @Sendable (ScreenInput) -> Void { { [continuation = stream.continuation] in continuation.yield($0) } }

    func next() async -> ScreenInput? {
      var iterator = stream.stream.makeAsyncIterator()
      return await iterator.next()
    }
  }

  private let environment = ["TERM": "xterm-256color", "LANG": "C.UTF-8"]

  @Test func `the window is taken, drawn, and given back as it was found`() async throws {
    let pseudo = Pseudo()
    let terminal = Terminal(SystemDevice(output: pseudo.slave, errors: pseudo.slave, keyboard: pseudo.slave), environment: environment)
    let inbox = Inbox()
    try await terminal.setBlock(["table"], owner: "other")
    #expect(try await terminal.openScreen(owner: "screen", receive: inbox.receive) == nil)
    #expect(await terminal.isFullScreen)
    #expect(!pseudo.isCooked)
    #expect(await inbox.next() == .panes([ScreenPane(owner: "other", lines: ["table"])]))
    #expect(try await terminal.openScreen(owner: "second", receive: inbox.receive) == .taken("screen"))
    #expect(pseudo.received().contains("\u{1b}[?1049h"))

    var frame = CellFrame(size: terminal.size)
    frame.put("AAPL", row: 1, column: 2)
    try await terminal.present(frame, owner: "second")
    #expect(!pseudo.received().contains("AAPL"))
    try await terminal.present(frame, owner: "screen")
    #expect(pseudo.received().contains("AAPL"))
    try await terminal.present(frame, owner: "screen")
    #expect(pseudo.received() == "")

    pseudo.type("q\u{1b}[A")
    #expect(await inbox.next() == .key(KeyPress(.character("q"))))
    #expect(await inbox.next() == .key(KeyPress(.up)))

    try await terminal.print("for the screen")
    #expect(await inbox.next() == .printed(["for the screen"]))
    try await terminal.print("a warning", to: .standardError, role: .log(isImportant: true))
    try await terminal.print("only the log's", to: .standardError, role: .log(isImportant: false))
    try await terminal.setBlock(["pane"], owner: "other")
    #expect(await inbox.next() == .panes([ScreenPane(owner: "other", lines: ["pane"])]))
    #expect(pseudo.received() == "")

    try await terminal.closeScreen(owner: "screen")
    let end = pseudo.received()
    #expect(end.contains("\u{1b}[?1049l") && end.contains("for the screen") && end.contains("a warning"))
    #expect(!end.contains("only the log's"))
    #expect(pseudo.isCooked)
    try await terminal.restore()
    #expect(pseudo.received().hasSuffix("\u{1b}[?25h"))
  }

  @Test func `where the cursor cannot be moved or the keyboard is taken there is no screen`() async throws {
    let pseudo = Pseudo()
    let dumb = Terminal(SystemDevice(output: pseudo.slave, keyboard: pseudo.slave), environment: ["TERM": "dumb"])
    #expect(try await dumb.openScreen(owner: "a") { _ in } == .cannotRedraw)
    let taken = Terminal(SystemDevice(output: pseudo.slave, keyboard: pseudo.slave), environment: environment)
    taken.takeKeyboard()
    #expect(try await taken.openScreen(owner: "a") { _ in } == .keyboardTaken)
    #expect(pseudo.isCooked && pseudo.received() == "")
  }

  @Test func `synchronized frames are used once the terminal says that it knows them`() async throws {
    let pseudo = Pseudo()
    let terminal = Terminal(SystemDevice(output: pseudo.slave, keyboard: pseudo.slave), environment: environment)
    let inbox = Inbox()
    #expect(try await terminal.openScreen(owner: "a", receive: inbox.receive) == nil)
    #expect(pseudo.received().contains("\u{1b}[?2026$p"))
    var frame = CellFrame(size: terminal.size)
    frame.put("one", row: 0, column: 0)
    try await terminal.present(frame, owner: "a")
    #expect(!pseudo.received().contains("\u{1b}[?2026h"))
    // The key comes after the terminal's reply, so the reply has been read when the key is here.
    pseudo.type("\u{1b}[?2026;2$yx")
    while case let input = await inbox.next(), input != .key(KeyPress(.character("x"))) {}
    var drawn = ""
    for i in 0..<1000 where !drawn.contains("\u{1b}[?2026h") {
      frame.put("\(i)", row: 1, column: 0)
      try await terminal.present(frame, owner: "a")
      drawn = pseudo.received()
    }
    #expect(drawn.hasPrefix("\u{1b}[?2026h") && drawn.hasSuffix("\u{1b}[?2026l"))
    try await terminal.closeScreen(owner: "a")
  }
}
