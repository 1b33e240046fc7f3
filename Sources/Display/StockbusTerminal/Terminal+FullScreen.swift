/// Why the full screen is not available.
package enum ScreenRefusal: Error, Hashable {
  /// Standard output is not a terminal, or its cursor cannot be moved.
  case noTerminal, cannotRedraw
  /// Standard input has another reader, or there is no input to read.
  case keyboardTaken, noKeyboard
  /// The process is not in the foreground of its terminal.
  case background
  /// Another owner has the screen.
  case taken(String)
}

extension Terminal {
  /// Takes the whole window for `owner` until `closeScreen`: the alternate screen, no cursor, keys one by one.
  ///
  /// Returns the reason if that is not possible. `receive` is called on the terminal's own threads with keys and other events of the
  /// screen, and must not block. While the screen is on, blocks of other owners are passed to it as panes, and printed lines of the role
  /// `output` as `printed`; nothing else is written to the window.
  ///
  /// The terminal is restored however the process ends: by `closeScreen`, `installCrashRestore`, or a guardian after `kill -9`.
  package func openScreen(
    owner: String, mouse: Bool = true, receive: @escaping @Sendable (ScreenInput) -> Void
  ) throws(TerminalError) -> ScreenRefusal? {
    if let full { return .taken(full.owner) }
    guard capabilities.canRedraw else { return capabilities.isTerminal ? .cannotRedraw : .noTerminal }
    if isKeyboardTaken { return .keyboardTaken }
    let keyboard: any TerminalKeyboard
    do throws(ScreenRefusal) {
      keyboard = try device.openKeyboard { [weak self] news in self?.forward(news, receive) }
    } catch { return error }
    // The live block is finished before the alternate screen covers it.
    let bytes = screen.finish()
    full = FullScreen(
      owner: owner, keyboard: keyboard, receive: receive, usesMouse: mouse,
      screen: CellScreen(colors: capabilities.colors, isUTF8: capabilities.isUTF8), canSynchronize: capabilities.isKnownToSynchronize)
    do throws(TerminalError) {
      try write(bytes, to: .standardOutput)
      device.noteBlock(isLive: false)
      try enter(asks: true)
    } catch {
      leave()
      end()
      throw error
    }
    keyboard.begin()
    tellPanes()
    return nil
  }

  /// Shows a frame; sends only what has changed, in one write. Does nothing if the screen is off or has another owner.
  package func present(_ frame: CellFrame, owner: String) throws(TerminalError) {
    guard full?.owner == owner else { return }
    full?.frame = frame
    let canSynchronize = full?.canSynchronize ?? false
    guard full?.isSuspended == false, let bytes = full?.screen.show(frame, synchronized: canSynchronize) else { return }
    try write(bytes, to: .standardOutput)
  }

  /// Restores the window, then prints the lines that were held back.
  package func closeScreen(owner: String) throws(TerminalError) {
    guard full?.owner == owner else { return }
    try closeFullScreen()
  }

  func closeFullScreen() throws(TerminalError) {
    guard let closing = full else { return }
    leave()
    end()
    if closing.heldOut > 0 { try print(StyledLine("\(closing.heldOut) earlier lines were omitted"), to: .standardError) }
    for (line, stream) in closing.held { try print(line, to: stream) }
    if !stack.blocks.isEmpty { try show() }
  }

  /// Redraws everything, for when another program has written to the screen.
  package func redraw() {
    full?.screen.invalidate()
    if let full, let frame = full.frame { try? present(frame, owner: full.owner) }
  }

  /// Rings the terminal's bell.
  package func ring() throws(TerminalError) { if capabilities.canRedraw { try write([7], to: .standardOutput) } }

  /// True if the full screen is on.
  package var isFullScreen: Bool { full != nil }

  /// Passes the blocks of the other owners to the owner of the screen.
  func tellPanes() {
    full?.receive(.panes(stack.blocks.map { ScreenPane(owner: $0.owner, lines: $0.lines) }))
  }

  // MARK: On and off

  private func enter(asks: Bool) throws(TerminalError) {
    guard let entering = full else { return }
    entering.keyboard.enter()
    full?.isSuspended = false
    full?.screen.invalidate()
    var bytes = Sequences.fullScreenBegin
    if entering.usesMouse { bytes += Sequences.mouse }
    if asks, !entering.canSynchronize, capabilities.repliesToQueries {
      bytes += Sequences.querySync
      full?.awaitsReply = true
    }
    try write(bytes, to: .standardOutput)
  }

  /// Restores the terminal. A write error is ignored, because it means that the terminal has no reader any more.
  private func leave() {
    guard let leaving = full, !leaving.isSuspended else { return }
    // A later response of the terminal would appear in the shell's command line.
    if leaving.awaitsReply { leaving.keyboard.waitForReply() }
    var bytes: [UInt8] = []
    Sequences.fullScreenEnd.withUTF8Buffer { bytes += $0 }
    try? write(bytes, to: .standardOutput)
    leaving.keyboard.leave()
    full?.isSuspended = true
  }

  private func end() {
    guard let ending = full else { return }
    full = nil
    ending.keyboard.end()
  }

  // MARK: Reports of the keyboard

  private nonisolated func forward(_ news: KeyboardEvent, _ receive: @escaping @Sendable (ScreenInput) -> Void) {
    switch news {
    case .input(let events):
      for event in events {
        switch event {
        case .key(let key): receive(.key(key))
        case .mouse(let mouse): receive(.mouse(mouse))
        // Unstructured, because a thread cannot wait for an actor; it has no effect once the screen is off.
        case .mode(let mode, let setting): Task { await self.learn(mode, setting) }
        }
      }
    case .resized: receive(.resized)
    case .closed: receive(.closed)
    case .suspend: Task { await self.suspend() }
    case .resumed: Task { await self.resume() }
    }
  }

  private func learn(_ mode: Int, _ setting: Int) {
    guard mode == 2026 else { return }
    full?.awaitsReply = false
    if (1...3).contains(setting) { full?.canSynchronize = true }
  }

  /// Ctrl-Z: restores the terminal, and stops the process until SIGCONT.
  private func suspend() {
    guard let full else { return }
    leave()
    full.keyboard.stopProcess()
  }

  /// After any stop: in the foreground the screen is taken again, in the background the program continues without it.
  private func resume() {
    guard let resuming = full else { return }
    guard resuming.keyboard.isForeground else {
      full?.isSuspended = true
      resuming.keyboard.yield()
      return
    }
    do throws(TerminalError) { try enter(asks: false) } catch { return }
    resuming.receive(.resumed)
    if let frame = resuming.frame { try? present(frame, owner: resuming.owner) }
  }
}
