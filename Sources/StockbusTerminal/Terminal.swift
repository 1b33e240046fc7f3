internal import Synchronization

/// A run's terminal, or what stands in its place: the one way out for everything that people are to read.
///
/// Whoever makes the run makes its terminal, and all components write to that one (`context.terminal`), so no two of them tear each other:
/// live blocks stand one under the other at the bottom, printed lines scroll away above them. Where standard output is no terminal,
/// lines are printed plain and blocks are not shown. Whoever writes to standard output past this actor while a block is live spoils
/// the picture until the next resize.
///
/// A reader that has gone away (`EPIPE`) is an error from then on and never a crash, where the process ignores SIGPIPE. Writing
/// happens on a thread of its own: a terminal that is stopped (Ctrl-S) holds up those who wait for it and no one else.
public actor Terminal {
  let device: any TerminalDevice
  private let executor = OutputExecutor()
  var screen: LiveScreen
  var stack = BlockStack()
  /// Who has the whole window, if somebody has.
  var full: FullScreen?
  private let keyboardIsTaken = Atomic(false)
  private var failure: TerminalError?

  /// What standard output can do, as seen when this was made; `size` follows the window.
  public nonisolated let capabilities: TerminalCapabilities
  /// What standard error can do.
  public nonisolated let errorCapabilities: TerminalCapabilities

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Standard output and standard error of this process, with what its environment says of them now. One is enough for a process:
  /// two would tear each other's lines.
  public init(colors: ColorChoice = .auto) {
    self.init(SystemDevice(), environment: TerminalCapabilities.processEnvironment, colors: colors)
  }

  /// A terminal on another device.
  package init(_ device: any TerminalDevice, environment: [String: String], colors: ColorChoice = .auto) {
    self.device = device
    capabilities = TerminalCapabilities(device, .standardOutput, environment: environment, colors: colors)
    errorCapabilities = TerminalCapabilities(device, .standardError, environment: environment, colors: colors)
    screen = LiveScreen(capabilities)
  }

  /// The window's size at this moment.
  public nonisolated var size: TerminalSize { device.windowSize(.standardOutput) ?? capabilities.size }

  /// Somebody else reads standard input, such as a reader of commands: no full screen for this process.
  public nonisolated func takeKeyboard() { keyboardIsTaken.store(true, ordering: .sequentiallyConsistent) }

  nonisolated var isKeyboardTaken: Bool { keyboardIsTaken.load(ordering: .sequentiallyConsistent) }

  /// Whether a block is on the screen.
  public var isLive: Bool { screen.isLive }

  /// Whether writing has failed for good, for instance because the reader of a pipe has gone.
  public var isBroken: Bool { failure != nil }

  /// Shows `lines` as the block of `owner`, or takes its block off the screen where `lines` is nil.
  ///
  /// Blocks stand in the order in which their owners came. Ignored where the cursor cannot be moved. Throws where writing fails.
  public func setBlock(_ lines: [StyledLine]?, owner: String) throws(TerminalError) {
    guard capabilities.canRedraw else { return }
    stack.set(lines, owner: owner)
    if full != nil { return tellPanes() }
    try show()
  }

  /// Takes the block of `owner` out of the live part and leaves its lines, cut to the window, above it for good.
  public func finishBlock(owner: String) throws(TerminalError) {
    guard let lines = stack.lines(of: owner) else { return }
    stack.set(nil, owner: owner)
    let columns = size.columns
    if full != nil {
      full?.hold(lines.map { $0.prefix(columns: columns) }, .standardOutput)
      return tellPanes()
    }
    try show(log: lines.map { $0.prefix(columns: columns) })
  }

  /// Prints a line for good, above all live blocks; while somebody has the whole window, when that is over.
  ///
  /// On standard error likewise, where both are the terminal; otherwise the line goes there plainly.
  public func print(
    _ line: StyledLine, to stream: OutputStream = .standardOutput, role: LineRole = .output
  ) throws(TerminalError) {
    try print([line], to: stream, role: role)
  }

  /// Prints lines for good, above all live blocks and with nothing between them.
  public func print(
    _ lines: [StyledLine], to stream: OutputStream = .standardOutput, role: LineRole = .output
  ) throws(TerminalError) {
    if lines.isEmpty { return }
    if full != nil, stream == .standardOutput || errorCapabilities.isTerminal {
      if role != .log(isImportant: false) { full?.hold(lines, stream) }
      if role == .output { full?.receive(.printed(lines)) }
      return
    }
    if screen.isLive && (stream == .standardOutput || errorCapabilities.isTerminal) { return try show(log: lines) }
    let place = stream == .standardOutput ? capabilities : errorCapabilities
    var bytes: [UInt8] = []
    for line in lines {
      // What is no terminal gets the text as it is: a file's reader knows more characters than our locale.
      let rendered = RenderedLine(line, colors: place.colors, isStyled: place.isStyled, isUTF8: !place.isTerminal || place.isUTF8)
      bytes += rendered.bytes
      bytes += place.canRedraw ? Sequences.newLine : [10]
    }
    try write(bytes, to: stream)
  }

  /// Leaves the last frame on the screen and gives the terminal back: cursor shown below it, long lines wrapped again.
  ///
  /// The next `setBlock` begins a new block. Doing it twice does no harm.
  public func restore() throws(TerminalError) {
    try closeFullScreen()
    stack = BlockStack()
    let bytes = screen.finish()
    defer { device.noteBlock(isLive: false) }
    try write(bytes, to: .standardOutput)
  }

  func show(log: [StyledLine] = []) throws(TerminalError) {
    let size = size
    let bytes = screen.show(stack.lines(rows: size.rows), log: log, size: size)
    if screen.isLive { device.noteBlock(isLive: true) }
    try write(bytes, to: .standardOutput)
    if !screen.isLive { device.noteBlock(isLive: false) }
  }

  func write(_ bytes: [UInt8], to stream: OutputStream) throws(TerminalError) {
    if bytes.isEmpty { return }
    if let failure, stream == .standardOutput { throw failure }
    let code = device.write(bytes, to: stream)
    if code == 0 { return }
    let error = TerminalError(stream: stream, code: code)
    // After a half-written frame the picture is unknown, so nothing more goes there.
    if stream == .standardOutput { failure = error }
    throw error
  }
}
