/// The size of a terminal in character cells, at least 1 by 1.
public struct TerminalSize: Hashable, Sendable {
  public var columns: Int
  public var rows: Int

  public init(columns: Int, rows: Int) {
    self.columns = max(1, columns)
    self.rows = max(1, rows)
  }
}

/// How many colours a terminal shows.
public enum ColorDepth: Int, Hashable, Comparable, Sendable, CaseIterable {
  case none, ansi16, ansi256, trueColor

  public static func < (a: ColorDepth, b: ColorDepth) -> Bool { a.rawValue < b.rawValue }
}

/// Whether there are colours, where somebody has said so.
public enum ColorChoice: String, Hashable, Sendable, CaseIterable {
  /// As the terminal and its environment have it.
  case auto
  /// As many as the terminal has, at least 16, whatever it is.
  case always
  case never
  case ansi16 = "16"
  case ansi256 = "256"
  case trueColor = "24bit"
}

/// What the place that output goes to can do.
public struct TerminalCapabilities: Hashable, Sendable {
  /// Whether it is a terminal at all.
  public var isTerminal: Bool
  /// Whether the cursor can be moved: a terminal that is not `dumb`.
  public var canRedraw: Bool
  public var size: TerminalSize
  public var colors: ColorDepth
  /// Whether text is UTF-8; otherwise only ASCII is safe.
  public var isUTF8: Bool
  /// Whether lines are broken anew when the window gets narrower, as all but the older terminals do.
  public var reflows: Bool
  /// Whether it is one of those that show a frame at once when asked to (private mode 2026).
  public var isKnownToSynchronize: Bool
  /// Whether a question about a private mode (DECRQM) is at the worst ignored.
  public var repliesToQueries: Bool

  /// Decides from what the system says, the environment variables of `names`, and what was chosen; touches nothing.
  ///
  /// `size` is the window's size where the system knows one; then come `COLUMNS` and `LINES`, then 80 by 24. Colours follow
  /// no-color.org and bixense.com/clicolors: `NO_COLOR` wins, `CLICOLOR_FORCE` colours what is no terminal too. A choice wins over both.
  public init(isTerminal: Bool, size: TerminalSize?, environment: [String: String], colors choice: ColorChoice = .auto) {
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
    // The Linux console and very old ones print what they do not know of such a question.
    repliesToQueries = canRedraw && !["linux", "screen", "vt", "ansi", "cygwin", "sun"].contains { term.hasPrefix($0) }

    let locale = (value("LC_ALL") ?? value("LC_CTYPE") ?? value("LANG") ?? "").lowercased()
    isUTF8 = locale.hasSuffix("utf-8") || locale.hasSuffix("utf8") || locale.contains("utf-8@") || locale.contains("utf8@")

    reflows = value("XTERM_VERSION") == nil && !["linux", "screen", "rxvt", "vt"].contains { term.hasPrefix($0) } || value("TMUX") != nil
  }

  /// The environment variables that are looked at.
  public static let names = [
    "TERM", "COLORTERM", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "LC_ALL", "LC_CTYPE", "LANG", "XTERM_VERSION",
    "TMUX", "TERM_PROGRAM",
  ]

  /// Whether lines are printed with escape sequences.
  public var isStyled: Bool { canRedraw || colors != .none }

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
