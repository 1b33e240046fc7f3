/// Why the whole window cannot be had.
public enum ScreenRefusal: Error, Hashable {
  /// Standard output is no terminal, or one whose cursor cannot be moved.
  case noTerminal, cannotRedraw
  /// Somebody else reads standard input, or there is none to read.
  case keyboardTaken, noKeyboard
  /// The process does not stand in the foreground of its terminal.
  case background
  /// This owner has it.
  case taken(String)
}

extension Terminal {
  /// Takes the whole window for `owner` until `closeScreen`: the other screen of the terminal, no cursor, keys one by one.
  ///
  /// Answers why not where it cannot be had. `receive` is called on threads of the terminal's own with keys and whatever else concerns
  /// the screen, and must not wait. While the screen is on, blocks of other owners are handed to it as panes, and printed lines as
  /// `printed`; nothing else reaches the window.
  ///
  /// However the process ends, the terminal is left as it was found: `closeScreen`, `installCrashRestore`, and a guardian for `kill -9`.
  public func openScreen(
    owner: String, mouse: Bool = true, receive: @escaping @Sendable (ScreenInput) -> Void
  ) throws(TerminalError) -> ScreenRefusal? {
    if let full { return .taken(full.owner) }
    guard capabilities.canRedraw else { return capabilities.isTerminal ? .cannotRedraw : .noTerminal }
    if isKeyboardTaken { return .keyboardTaken }
    let keyboard: any TerminalKeyboard
    do throws(ScreenRefusal) {
      keyboard = try device.openKeyboard { [weak self] news in self?.forward(news, receive) }
    } catch { return error }
    // What stands below goes where it came from, before the other screen covers it.
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

  /// Shows a frame; only what has changed is sent, in one write. Nothing happens where the screen is off or somebody else's.
  public func present(_ frame: CellFrame, owner: String) throws(TerminalError) {
    guard full?.owner == owner else { return }
    full?.frame = frame
    let canSynchronize = full?.canSynchronize ?? false
    guard full?.isSuspended == false, let bytes = full?.screen.show(frame, synchronized: canSynchronize) else { return }
    try write(bytes, to: .standardOutput)
  }

  /// Gives the window back as it was found, then prints what waited for it.
  public func closeScreen(owner: String) throws(TerminalError) {
    guard full?.owner == owner else { return }
    try closeFullScreen()
  }

  func closeFullScreen() throws(TerminalError) {
    guard let closing = full else { return }
    leave()
    end()
    if closing.heldOut > 0 { try print(StyledLine("\(closing.heldOut) earlier lines were left out"), to: .standardError) }
    for (line, stream) in closing.held { try print(line, to: stream) }
    if !stack.blocks.isEmpty { try show() }
  }

  /// Draws everything anew, for when somebody else has written on the screen.
  public func redraw() {
    full?.screen.invalidate()
    if let full, let frame = full.frame { try? present(frame, owner: full.owner) }
  }

  /// Makes the sound that terminals make.
  public func ring() throws(TerminalError) { if capabilities.canRedraw { try write([7], to: .standardOutput) } }

  /// Whether the full screen is on.
  public var isFullScreen: Bool { full != nil }

  /// For the owner of the screen: what the others have drawn.
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

  /// The terminal as it was found; what cannot be written has no reader any more.
  private func leave() {
    guard let leaving = full, !leaving.isSuspended else { return }
    // An answer that comes after us would stand in the shell's line.
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

  // MARK: What the keyboard's thread says

  private nonisolated func forward(_ news: KeyboardNews, _ receive: @escaping @Sendable (ScreenInput) -> Void) {
    switch news {
    case .input(let events):
      for event in events {
        switch event {
        case .key(let key): receive(.key(key))
        case .mouse(let mouse): receive(.mouse(mouse))
        // Unstructured, because a thread cannot wait for an actor; it touches nothing once the screen is off.
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

  /// Ctrl-Z: everything is given back, and the process stops until somebody lets it go on.
  private func suspend() {
    guard let full else { return }
    leave()
    full.keyboard.stopProcess()
  }

  /// After a stop of any kind: in the foreground the screen is ours again, in the background we go on without one.
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
