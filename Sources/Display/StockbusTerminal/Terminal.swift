internal import Synchronization

/// The terminal of a run, or the file or pipe in its place: all output for people goes through it.
///
/// The creator of a run creates its terminal, and all components write to that one (`context.terminal`), so that their output is not mixed
/// up: live blocks are at the bottom, one below another, and printed lines scroll away above them. If standard output is not a terminal,
/// lines are printed plainly and blocks are not shown. Writing to standard output without this actor while a block is live damages the
/// display until the next resize.
///
/// After a write to standard output has failed, as when its reader has closed the pipe (`EPIPE`), every later write throws the same error.
/// The process must ignore SIGPIPE, or a lost reader ends it. Writing happens on a separate thread: a stopped terminal (Ctrl-S) delays only
/// the tasks that wait for it.
package actor Terminal {
  let device: any TerminalDevice
  private let executor = OutputExecutor()
  var screen: LiveScreen
  var stack = BlockStack()
  /// The full screen, while it is on.
  var full: FullScreen?
  private let keyboardIsTaken = Atomic(false)
  private var failure: TerminalError?
  /// By owner, the lines of finished blocks.
  private var finished: [String: [StyledLine]] = [:]

  /// The capabilities of standard output at the creation of this object; `size` is the present size of the window.
  package nonisolated let capabilities: TerminalCapabilities
  /// The capabilities of standard error.
  package nonisolated let errorCapabilities: TerminalCapabilities

  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// A terminal on standard output and standard error of this process, with its present environment. A process should have only one: two
  /// would mix up each other's lines.
  package init(colors: ColorChoice = .auto) {
    self.init(SystemDevice(), environment: TerminalCapabilities.processEnvironment, colors: colors)
  }

  /// A terminal on another device.
  package init(_ device: any TerminalDevice, environment: [String: String], colors: ColorChoice = .auto) {
    self.device = device
    capabilities = TerminalCapabilities(device, .standardOutput, environment: environment, colors: colors)
    errorCapabilities = TerminalCapabilities(device, .standardError, environment: environment, colors: colors)
    screen = LiveScreen(capabilities)
  }

  /// The present size of the window.
  package nonisolated var size: TerminalSize { device.windowSize(.standardOutput) ?? capabilities.size }

  /// Notes that standard input has another reader, such as a reader of commands: then there is no full screen.
  package nonisolated func takeKeyboard() { keyboardIsTaken.store(true, ordering: .sequentiallyConsistent) }

  nonisolated var isKeyboardTaken: Bool { keyboardIsTaken.load(ordering: .sequentiallyConsistent) }

  /// True if a block is on the screen.
  package var isLive: Bool { screen.isLive }

  /// True if writing has failed permanently, for example because the reader of a pipe has closed it.
  package var isBroken: Bool { failure != nil }

  /// Shows `lines` as the block of `owner`, or removes its block if `lines` is nil.
  ///
  /// Blocks are in the order in which their owners first set one. Ignored if the cursor cannot be moved. Throws if writing fails.
  package func setBlock(_ lines: [StyledLine]?, owner: String) throws(TerminalError) {
    guard capabilities.canRedraw else { return }
    stack.set(lines, owner: owner)
    if full != nil { return tellPanes() }
    try show()
  }

  /// Removes the block of `owner` from the live part and prints its lines above it, cut to the window.
  package func finishBlock(owner: String) throws(TerminalError) {
    guard let lines = stack.lines(of: owner) else { return }
    stack.set(nil, owner: owner)
    finished[owner] = lines
    let columns = size.columns
    if full != nil {
      full?.hold(lines.map { $0.prefix(columns: columns) }, .standardOutput)
      return tellPanes()
    }
    try show(log: lines.map { $0.prefix(columns: columns) })
  }

  /// The lines of the owner's block, or of its last one if that is finished.
  package func block(of owner: String) -> [StyledLine] { stack.lines(of: owner) ?? finished[owner] ?? [] }

  /// Prints a line above all live blocks. During a full screen the line is treated according to `role`.
  ///
  /// For standard error the same holds if both are the terminal; otherwise the line is written there plainly.
  package func print(
    _ line: StyledLine, to stream: OutputStream = .standardOutput, role: LineRole = .output
  ) throws(TerminalError) {
    try print([line], to: stream, role: role)
  }

  /// Prints consecutive lines above all live blocks.
  package func print(
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
      // Output to a file or pipe is not reduced to the locale's characters, because its reader may support more.
      let rendered = RenderedLine(line, colors: place.colors, isStyled: place.isStyled, isUTF8: !place.isTerminal || place.isUTF8)
      bytes += rendered.bytes
      bytes += place.canRedraw ? Sequences.newLine : [10]
    }
    try write(bytes, to: stream)
  }

  /// Leaves the last frame on the screen and restores the terminal: the cursor is shown below it, and long lines wrap again.
  ///
  /// The next `setBlock` begins a new block. A second call has no effect.
  package func restore() throws(TerminalError) {
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
    // After a partly written frame the state of the screen is unknown, so nothing more is written to it.
    if stream == .standardOutput { failure = error }
    throw error
  }
}
