internal import LibC

/// Two descriptors of the process, and the keyboard of their terminal.
struct SystemDevice: TerminalDevice {
  var output: Int32 = STDOUT_FILENO
  var errors: Int32 = STDERR_FILENO
  /// The keyboard's descriptor, if it is neither standard input nor the process's terminal.
  var keyboard: Int32?

  private func descriptor(_ stream: OutputStream) -> Int32 { stream == .standardOutput ? output : errors }

  func isTerminal(_ stream: OutputStream) -> Bool { isatty(descriptor(stream)) == 1 }

  func windowSize(_ stream: OutputStream) -> TerminalSize? {
    var window = winsize()
    guard ioctl(descriptor(stream), UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else { return nil }
    return TerminalSize(columns: Int(window.ws_col), rows: Int(window.ws_row))
  }

  func write(_ bytes: [UInt8], to stream: OutputStream) -> Int32 { OutputDescriptor.write(bytes, to: descriptor(stream)) }

  func noteBlock(isLive: Bool) { CrashRestore.isLive(isLive, descriptor: output) }

  func openKeyboard(_ receive: @escaping @Sendable (KeyboardEvent) -> Void) throws(ScreenRefusal) -> any TerminalKeyboard {
    try SystemKeyboard(self, receive)
  }
}

/// The keyboard: standard input if that is a terminal, otherwise the process's terminal.
private final class SystemKeyboard: TerminalKeyboard {
  private let descriptor: Int32
  private let isOwn: Bool
  private let output: Int32
  private let mode: RawMode
  private let thread: KeyboardThread
  private let guardian: Guardian?

  init(_ device: SystemDevice, _ receive: @escaping @Sendable (KeyboardEvent) -> Void) throws(ScreenRefusal) {
    let found = device.keyboard ?? (isatty(STDIN_FILENO) == 1 ? STDIN_FILENO : nil)
    let descriptor = found ?? open("/dev/tty", O_RDWR | O_CLOEXEC)
    if descriptor < 0 { throw .noKeyboard }
    let isOwn = found == nil
    guard let mode = RawMode(descriptor), mode.isForeground else {
      if isOwn { close(descriptor) }
      throw .background
    }
    let guardian = Guardian(terminal: descriptor)
    guard let thread = KeyboardThread(keyboard: descriptor, receive: receive) else {
      guardian?.end()
      if isOwn { close(descriptor) }
      throw .noKeyboard
    }
    self.descriptor = descriptor
    self.isOwn = isOwn
    self.mode = mode
    self.guardian = guardian
    self.thread = thread
    output = device.output
  }

  var isForeground: Bool { mode.isForeground }

  func begin() { thread.start() }

  func enter() {
    mode.enter()
    note(isOn: true)
  }

  func leave() {
    mode.leave()
    note(isOn: false)
  }

  func yield() { note(isOn: false) }

  /// Informs the code that restores the terminal when this process cannot.
  private func note(isOn: Bool) {
    CrashRestore.isFullScreen(isOn, descriptor: output, found: mode.found)
    guardian?.say(isOn: isOn)
  }

  func waitForReply() {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    _ = poll(&entry, 1, 100)
  }

  // SIGSTOP, because unlike SIGTSTP it cannot be caught, so it stops the process here and now.
  func stopProcess() { kill(getpid(), SIGSTOP) }

  func end() {
    thread.end()
    guardian?.end()
    if isOwn { close(descriptor) }
  }
}
