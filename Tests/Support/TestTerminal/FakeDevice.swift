internal import StockbusTerminal
internal import StockbusTestKit

/// A device that writes to a model of a terminal and gets its keys from a test.
struct FakeDevice: TerminalDevice {
  struct State: Sendable {
    var model: ScreenModel
    var piped: [UInt8] = []
    var writes = 0
    var journal: [String] = []
    var faults: [OutputStream: Int32] = [:]
    var refusal: ScreenRefusal?
    var isForeground = true
    var decoder = InputDecoder()
    var receive: (@Sendable (KeyboardEvent) -> Void)?
    var whenWritten: (@Sendable () -> Void)?
  }

  let state: Watched<State>
  private let output: FakeTerminal.Place

  init(columns: Int, rows: Int, output: FakeTerminal.Place) {
    state = Watched(State(model: ScreenModel(columns: columns, rows: rows)))
    self.output = output
  }

  func isTerminal(_ stream: OutputStream) -> Bool { stream == .standardError || output == .terminal }

  func windowSize(_ stream: OutputStream) -> TerminalSize? {
    if !isTerminal(stream) { return nil }
    let model = state.value.model
    return TerminalSize(columns: model.columns, rows: model.rows)
  }

  func write(_ bytes: [UInt8], to stream: OutputStream) -> Int32 {
    let (code, then) = state.update { state -> (Int32, (@Sendable () -> Void)?) in
      if let code = state.faults[stream] { return (code, nil) }
      state.writes += 1
      defer { state.whenWritten = nil }
      if !isTerminal(stream) {
        state.piped += bytes
        return (0, state.whenWritten)
      }
      let wasFullScreen = state.model.isFullScreen
      state.model.feed(bytes)
      if wasFullScreen != state.model.isFullScreen {
        state.journal.append(wasFullScreen ? "other screen off" : "other screen on")
      }
      return (0, state.whenWritten)
    }
    then?()
    return code
  }

  func noteBlock(isLive _: Bool) {}

  func openKeyboard(_ receive: @escaping @Sendable (KeyboardEvent) -> Void) throws(ScreenRefusal) -> any TerminalKeyboard {
    let refusal = state.update { state -> ScreenRefusal? in
      if let refusal = state.refusal { return refusal }
      state.journal.append("keyboard opened")
      return nil
    }
    if let refusal { throw refusal }
    return FakeKeyboard(state: state, receive: receive)
  }
}

private struct FakeKeyboard: TerminalKeyboard {
  let state: Watched<FakeDevice.State>
  let receive: @Sendable (KeyboardEvent) -> Void

  var isForeground: Bool { state.value.isForeground }
  func enter() { note("keys one by one") }
  func begin() { state.update { $0.receive = receive } }
  func leave() { note("keys as they were found") }
  func yield() { note("the terminal is another's") }
  func waitForReply() {}
  func stopProcess() { note("process stopped") }

  func end() {
    state.update { $0.receive = nil }
    note("keyboard closed")
  }

  private func note(_ entry: String) { state.update { $0.journal.append(entry) } }
}
