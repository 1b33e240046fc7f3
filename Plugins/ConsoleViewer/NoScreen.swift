internal import StockbusTerminal

/// Why a viewer has no full screen, and how to get one.
struct NoScreen {
  let text: String

  /// Nil if there is a full screen.
  init?(_ settings: ConsoleViewerSettings, _ capabilities: TerminalCapabilities, _ refusal: ScreenRefusal?, isOpen: Bool) {
    if isOpen { return nil }
    if settings.plain {
      text = "'plain: true' prints lines; leave it out for the full screen"
      return
    }
    let found: ScreenRefusal? = capabilities.canRedraw ? refusal : capabilities.isTerminal ? .cannotRedraw : .noTerminal
    text =
      switch found {
      case .noTerminal: "standard output is not a terminal, so it prints lines; run it on a terminal for the full screen"
      case .cannotRedraw:
        "TERM says that this terminal cannot move its cursor, so it prints lines; set TERM, such as TERM=xterm-256color, for the full screen"
      case .keyboardTaken: "'--commands -' reads the keyboard; give it a file or a named pipe for the full screen"
      case .noKeyboard: "there is no keyboard: neither standard input nor /dev/tty is a terminal"
      case .background: "it was started in the background; start it in the foreground for the full screen"
      case .taken(let owner): "'\(owner)' uses the screen"
      case nil: "'screen: inline' draws a table in place; leave it out for the full screen"
      }
  }
}
