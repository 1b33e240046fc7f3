import Testing

@testable import StockbusTerminal

@Suite struct CapabilitiesTests {
  private func found(_ environment: [String: String], terminal: Bool = true, size: TerminalSize? = nil) -> TerminalCapabilities {
    TerminalCapabilities(isTerminal: terminal, size: size, environment: environment)
  }

  @Test(arguments: [
    (["TERM": "xterm"], ColorDepth.ansi16), (["TERM": "xterm-256color"], .ansi256),
    (["TERM": "xterm", "COLORTERM": "truecolor"], .trueColor),
    (["TERM": "xterm", "COLORTERM": "24bit"], .trueColor), (["TERM": "xterm-direct"], .trueColor), (["TERM": "dumb"], .none), ([:], .none),
    (["TERM": "xterm-256color", "NO_COLOR": "1"], .none), (["TERM": "xterm-256color", "NO_COLOR": ""], .ansi256),
    (["TERM": "xterm", "CLICOLOR": "0"], .none), (["TERM": "xterm", "CLICOLOR": "0", "CLICOLOR_FORCE": "1"], .ansi16),
    (["TERM": "xterm", "CLICOLOR_FORCE": "1", "NO_COLOR": "1"], .none),
  ])
  func `finds the colours of a terminal`(environment: [String: String], depth: ColorDepth) {
    #expect(found(environment).colors == depth)
  }

  @Test(arguments: [
    (ColorChoice.always, ["TERM": "xterm-256color", "NO_COLOR": "1"], ColorDepth.ansi256), (.always, ["TERM": "dumb"], .ansi16),
    (.never, ["TERM": "xterm-256color", "CLICOLOR_FORCE": "1"], .none), (.ansi16, ["COLORTERM": "truecolor", "TERM": "xterm"], .ansi16),
    (.ansi256, ["TERM": "xterm", "NO_COLOR": "1"], .ansi256), (.trueColor, [:], .trueColor), (.auto, ["TERM": "xterm"], .ansi16),
  ])
  func `a choice wins over the environment, on a terminal or none`(choice: ColorChoice, environment: [String: String], depth: ColorDepth) {
    for isTerminal in [true, false] where choice != .auto || isTerminal {
      let found = TerminalCapabilities(isTerminal: isTerminal, size: nil, environment: environment, colors: choice)
      #expect(found.colors == depth)
    }
  }

  @Test func `colours a pipe only where forced to`() {
    #expect(found(["TERM": "xterm-256color"], terminal: false).colors == .none)
    #expect(found(["TERM": "xterm-256color", "CLICOLOR_FORCE": "0"], terminal: false).colors == .none)
    #expect(found(["TERM": "xterm-256color", "CLICOLOR_FORCE": "1"], terminal: false).colors == .ansi256)
    #expect(found(["CLICOLOR_FORCE": "1"], terminal: false).colors == .ansi16)
    #expect(!found(["CLICOLOR_FORCE": "1", "TERM": "xterm"], terminal: false).canRedraw)
  }

  @Test func `takes the window's size, then the environment's, then 80 by 24`() {
    let environment = ["COLUMNS": "132", "LINES": "43"]
    #expect(found(environment, size: .init(columns: 100, rows: 30)).size == .init(columns: 100, rows: 30))
    #expect(found(environment).size == .init(columns: 132, rows: 43))
    #expect(found(["COLUMNS": "-3", "LINES": "many"]).size == .init(columns: 80, rows: 24))
    #expect(found(["COLUMNS": "99999999999999999999"]).size == .init(columns: 80, rows: 24))
    #expect(TerminalSize(columns: 0, rows: -1) == TerminalSize(columns: 1, rows: 1))
  }

  @Test func `redraws on a terminal that is not dumb`() {
    #expect(found(["TERM": "xterm"]).canRedraw)
    #expect(!found(["TERM": "dumb"]).canRedraw)
    #expect(!found([:]).canRedraw)
    #expect(!found(["TERM": "xterm"], terminal: false).canRedraw)
  }

  @Test(arguments: [
    (["LANG": "en_US.UTF-8"], true), (["LANG": "C.utf8"], true), (["LANG": "C"], false), ([:], false),
    (["LC_ALL": "C", "LANG": "de_CH.UTF-8"], false),
    (["LC_CTYPE": "de_DE.UTF-8@euro", "LANG": "C"], true), (["LC_ALL": "", "LANG": "de_CH.UTF-8"], true),
  ])
  func `finds whether text is UTF-8`(environment: [String: String], isUTF8: Bool) {
    #expect(found(environment).isUTF8 == isUTF8)
  }

  @Test func `knows the terminals that leave broken lines alone`() {
    #expect(found(["TERM": "xterm-256color"]).reflows)
    #expect(!found(["TERM": "xterm-256color", "XTERM_VERSION": "XTerm(379)"]).reflows)
    #expect(!found(["TERM": "linux"]).reflows)
    #expect(found(["TERM": "screen-256color", "TMUX": "/tmp/tmux-0/default"]).reflows)
  }
}
