internal import Dispatch
internal import LibC
internal import StockbusSystem

/// Waits for keys and for signals about the terminal, on a thread of its own.
final class KeyboardThread: Sendable {
  private let keyboard: Int32
  private let reading: Int32
  private let writing: Int32
  private let ended = DispatchSemaphore(value: 0)
  private let receive: @Sendable (KeyboardEvent) -> Void
  private let found: [(signal: Int32, action: sigaction)]

  /// Nil if the process has no descriptors left.
  init?(keyboard: Int32, receive: @escaping @Sendable (KeyboardEvent) -> Void) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    self.keyboard = keyboard
    self.receive = receive
    reading = ends[0]
    writing = ends[1]
    found = ScreenSignals.install(writingTo: writing)
  }

  func start() { DispatchQueue(label: "stockbus.keyboard").async { self.run() } }

  /// Ends the thread and restores the signal handlers.
  func end() {
    ScreenSignals.note(ScreenSignals.end)
    ended.wait()
    ScreenSignals.uninstall(found)
    close(reading)
    close(writing)
  }

  /// How long to wait after an Escape for the rest of a sequence, in milliseconds.
  private static let escapeDelay: Int32 = 40
  /// How often to check whether the process is in the foreground again, in milliseconds.
  private static let glance: Int32 = 250

  /// True if this process may read the keys, and also if the terminal is closed.
  private func isListener(_ keyboard: Int32) -> Bool {
    let listener = keyboard < 0 ? -1 : tcgetpgrp(keyboard)
    return listener <= 0 || listener == getpgrp()
  }

  private func run() {
    defer { ended.signal() }
    var decoder = InputDecoder()
    var buffer = [UInt8](repeating: 0, count: 4096)
    var keyboard = keyboard
    var isPaused = false
    while true {
      // If the keyboard is closed, poll ignores the negative number, and signals are still reported.
      var entries = [
        pollfd(fd: isPaused ? -1 : keyboard, events: Int16(POLLIN), revents: 0), pollfd(fd: reading, events: Int16(POLLIN), revents: 0),
      ]
      let timeout = isPaused ? Self.glance : decoder.isPending ? Self.escapeDelay : -1
      guard let ready = try? retrying({ poll(&entries, 2, timeout) }) else { return }
      if isPaused, isListener(keyboard) {
        // A shell does not signal a running job that it brings to the foreground.
        isPaused = false
        receive(.resumed)
      }
      if ready == 0 {
        pass(decoder.timeout())
        continue
      }
      if entries[1].revents != 0 {
        if !readSignals(&buffer) { return }
        if !isListener(keyboard) { isPaused = true }
      }
      if entries[0].revents != 0 {
        // Keys that are typed while this process is in the background are not for it, and reading them would stop it (SIGTTIN).
        if !isListener(keyboard) {
          isPaused = true
          continue
        }
        let n = read(keyboard, &buffer, buffer.count)
        if n > 0 {
          pass(decoder.feed(buffer[..<n]))
        } else if n == 0 || (errno != EINTR && errno != EAGAIN) {
          receive(.closed)
          keyboard = -1
        }
      }
    }
  }

  private func pass(_ events: [InputEvent]) { if !events.isEmpty { receive(.input(events)) } }

  /// Returns false if the thread must end.
  private func readSignals(_ buffer: inout [UInt8]) -> Bool {
    let n = read(reading, &buffer, buffer.count)
    if n <= 0 { return true }
    let bytes = buffer[..<n]
    if bytes.contains(ScreenSignals.end) { return false }
    if bytes.contains(ScreenSignals.resumed) { receive(.resumed) }
    if bytes.contains(ScreenSignals.resized) { receive(.resized) }
    if bytes.contains(ScreenSignals.suspend) { receive(.suspend) }
    return true
  }
}
