/// The size of a terminal in character cells, at least 1 by 1.
package struct TerminalSize: Hashable, Sendable {
  package var columns: Int
  package var rows: Int

  package init(columns: Int, rows: Int) {
    self.columns = max(1, columns)
    self.rows = max(1, rows)
  }
}

/// How many colours a terminal shows.
package enum ColorDepth: Int, Hashable, Comparable, Sendable, CaseIterable {
  case none, ansi16, ansi256, trueColor

  package static func < (a: ColorDepth, b: ColorDepth) -> Bool { a.rawValue < b.rawValue }
}

/// A choice whether to use colours.
package enum ColorChoice: String, Hashable, Sendable, CaseIterable {
  /// According to the terminal and its environment.
  case auto
  /// As many colours as the terminal has, but at least 16, even if the output is not a terminal.
  case always
  case never
  case ansi16 = "16"
  case ansi256 = "256"
  case trueColor = "24bit"
}

/// The capabilities of an output.
package struct TerminalCapabilities: Hashable, Sendable {
  /// True if the output is a terminal.
  package var isTerminal: Bool
  /// True if the cursor can be moved: for a terminal that is not `dumb`.
  package var canRedraw: Bool
  package var size: TerminalSize
  package var colors: ColorDepth
  /// True if text is UTF-8; otherwise only ASCII is safe.
  package var isUTF8: Bool
  /// True if lines are rewrapped when the window gets narrower, as in all but older terminals.
  package var reflows: Bool
  /// True if the terminal is known to support synchronised frames (private mode 2026).
  package var isKnownToSynchronize: Bool
  /// True if a query about a private mode (DECRQM) is at worst ignored.
  package var repliesToQueries: Bool

  /// Decides from the system's information, the environment variables of `names`, and the user's choice; has no side effects.
  ///
  /// `size` is the window's size if the system knows it; otherwise `COLUMNS` and `LINES` are used, then 80 by 24. Colours follow
  /// no-color.org and bixense.com/clicolors: `NO_COLOR` turns them off, and overrides `CLICOLOR_FORCE`, which turns them on even if there
  /// is no terminal. An explicit choice overrides both.
  package init(isTerminal: Bool, size: TerminalSize?, environment: [String: String], colors choice: ColorChoice = .auto) {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    let term = value("TERM") ?? ""
    self.isTerminal = isTerminal
    canRedraw = isTerminal && !term.isEmpty && term != "dumb"
    self.size = TerminalSize(
      columns: size?.columns ?? Self.extent(value("COLUMNS")) ?? 80, rows: size?.rows ?? Self.extent(value("LINES")) ?? 24)

    let forced = value("CLICOLOR_FORCE").map { $0 != "0" } ?? false
    let wanted = value("NO_COLOR") == nil && (forced || (canRedraw && value("CLICOLOR") != "0"))
    let shown = Self.depth(term: term, colorTerm: value("COLORTERM")?.lowercased() ?? "")
    colors =
      switch choice {
      case .auto: wanted ? (forced ? max(.ansi16, shown) : shown) : .none
      case .always: max(.ansi16, shown)
      case .never: .none
      case .ansi16: .ansi16
      case .ansi256: .ansi256
      case .trueColor: .trueColor
      }
    let program = value("TERM_PROGRAM") ?? ""
    isKnownToSynchronize =
      ["WezTerm", "iTerm.app", "ghostty", "vscode"].contains(program) || ["xterm-kitty", "foot", "xterm-ghostty", "contour"].contains(term)
    // The Linux console and very old terminals print parts of an unknown query.
    repliesToQueries = canRedraw && !["linux", "screen", "vt", "ansi", "cygwin", "sun"].contains { term.hasPrefix($0) }

    let locale = (value("LC_ALL") ?? value("LC_CTYPE") ?? value("LANG") ?? "").lowercased()
    isUTF8 = locale.hasSuffix("utf-8") || locale.hasSuffix("utf8") || locale.contains("utf-8@") || locale.contains("utf8@")

    reflows = value("XTERM_VERSION") == nil && !["linux", "screen", "rxvt", "vt"].contains { term.hasPrefix($0) } || value("TMUX") != nil
  }

  /// The environment variables that are used.
  package static let names = [
    "TERM", "COLORTERM", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "LC_ALL", "LC_CTYPE", "LANG", "XTERM_VERSION",
    "TMUX", "TERM_PROGRAM",
  ]

  /// True if lines are printed with escape sequences.
  package var isStyled: Bool { canRedraw || colors != .none }

  private static func extent(_ text: String?) -> Int? {
    guard let number = text.flatMap({ Int($0) }), (1...10_000).contains(number) else { return nil }
    return number
  }

  private static func depth(term: String, colorTerm: String) -> ColorDepth {
    if term.isEmpty || term == "dumb" { return .none }
    if colorTerm == "truecolor" || colorTerm == "24bit" || term.contains("direct") || term.contains("truecolor") { return .trueColor }
    return term.contains("256") ? .ansi256 : .ansi16
  }
}
