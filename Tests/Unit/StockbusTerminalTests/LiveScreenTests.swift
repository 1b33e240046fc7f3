import TestSupport
import TestTerminal
import Testing

@testable import StockbusTerminal

@Suite struct LiveScreenTests {
  private func screen(_ columns: Int, _ rows: Int) -> LiveScreen {
    LiveScreen(
      TerminalCapabilities(isTerminal: true, size: .init(columns: columns, rows: rows), environment: ["TERM": "xterm", "LANG": "C.UTF-8"]))
  }

  private func text(_ bytes: [UInt8]) -> String {
    // By scalars, because a carriage return with a line feed is one character in Swift.
    String(decoding: bytes, as: UTF8.self).unicodeScalars.map { ["\u{1b}": "⎋", "\r": "←", "\n": "↓"][$0] ?? String($0) }.joined()
  }

  @Test func `draws the first block with the cursor hidden and lines not wrapping`() {
    var live = screen(20, 5)
    let size = TerminalSize(columns: 20, rows: 5)
    #expect(text(live.show(["AAPL 1", "MSFT 2"], size: size)) == "⎋[?25l⎋[?7lAAPL 1←↓MSFT 2←")
    #expect(live.isLive)
  }

  @Test func `sends only the lines that have changed`() {
    var live = screen(20, 5)
    let size = TerminalSize(columns: 20, rows: 5)
    _ = live.show(["a", "b", "c", "d"], size: size)
    #expect(text(live.show(["a", "b", "c", "d"], size: size)) == "")
    #expect(text(live.show(["a", "B", "c", "d"], size: size)) == "⎋[2A⎋[KB←⎋[2B")
    #expect(text(live.show(["A", "B", "C", "d"], size: size)) == "⎋[3A⎋[KA←⎋[2B⎋[KC←⎋[1B")
  }

  @Test func `grows with new lines and shrinks by clearing`() {
    var live = screen(20, 5)
    let size = TerminalSize(columns: 20, rows: 5)
    _ = live.show(["a"], size: size)
    #expect(text(live.show(["a", "b", "c"], size: size)) == "←↓b←←↓c←")
    #expect(text(live.show(["a"], size: size)) == "⎋[1A⎋[J⎋[1A")
    #expect(text(live.show([], size: size)) == "⎋[J⎋[?7h⎋[?25h")
    #expect(!live.isLive)
  }

  @Test func `prints lines above the block as one synchronized frame`() {
    var live = screen(20, 5)
    let size = TerminalSize(columns: 20, rows: 5)
    #expect(text(live.show([], log: ["before"], size: size)) == "before←↓")
    _ = live.show(["a", "b"], size: size)
    #expect(
      text(live.show(["a", "b"], log: [.init("error", Style(.red))], size: size))
        == "⎋[?2026h⎋[1A←⎋[J⎋[?7h⎋[31merror⎋[0m←↓⎋[?7la←↓b←⎋[?2026l")
  }

  @Test func `finishing leaves the block and gives the cursor back`() {
    var live = screen(20, 5)
    #expect(text(live.finish()) == "")
    _ = live.show(["a"], size: .init(columns: 20, rows: 5))
    #expect(text(live.finish()) == "←↓⎋[?7h⎋[?25h")
    #expect(text(live.finish()) == "")
  }

  @Test func `cuts lines to the width and the block to the height`() {
    var live = screen(4, 2)
    #expect(text(live.show(["abcdef", "東京都", "c"], size: .init(columns: 4, rows: 2))) == "⎋[?25l⎋[?7labcd←↓東京←")
    #expect(text(live.show(["abcdef", "東京都"], size: .init(columns: 3, rows: 2))) == "⎋[?2026h⎋[2A←⎋[Jabc←↓東←⎋[?2026l")
  }

  // MARK: Against the model

  private func randomText(_ random: inout SplitMix, _ prefix: String) -> String {
    let pieces = ["a", "Z", " ", "9", "東", "é", "🚀", "-", "e\u{301}"]
    return prefix + (0..<Int.random(in: 0...30, using: &random)).map { _ in pieces.randomElement(using: &random)! }.joined()
  }

  private func randomBlock(_ random: inout SplitMix, _ old: [StyledLine]) -> [StyledLine] {
    var block = old
    let count = Int.random(in: 0...9, using: &random)
    while block.count > count { block.remove(at: Int.random(in: 0..<block.count, using: &random)) }
    while block.count < count { block.append(StyledLine(randomText(&random, "|"), Style(.green))) }
    if !block.isEmpty, Bool.random(using: &random) {
      block[Int.random(in: 0..<block.count, using: &random)] = StyledLine(randomText(&random, "|"), Style(bold: true))
    }
    if Int.random(in: 0..<6, using: &random) == 0 { block.insert("", at: 0) }
    return block
  }

  private func shown(_ block: [StyledLine], _ size: TerminalSize) -> [String] {
    block.prefix(size.rows).map { trimmed($0.text.prefix(columns: size.columns)) }
  }

  private func trimmed(_ text: some StringProtocol) -> String { String(text.reversed().drop { $0 == " " }.reversed()) }

  /// Without resizes everything on the screen is known exactly.
  @Test(arguments: 0..<25) func `any frames and log lines give the wanted screen`(seed: UInt64) {
    var random = SplitMix(seed)
    let size = TerminalSize(columns: Int.random(in: 2...25, using: &random), rows: Int.random(in: 1...10, using: &random))
    var terminal = ScreenModel(columns: size.columns, rows: size.rows)
    var live = screen(size.columns, size.rows)
    var block: [StyledLine] = []
    for _ in 0..<60 {
      var log: [StyledLine] = []
      if Int.random(in: 0..<3, using: &random) == 0 {
        log = (0..<Int.random(in: 1...3, using: &random)).map { _ in StyledLine(randomText(&random, ">")) }
      }
      if Int.random(in: 0..<10, using: &random) == 0 {
        terminal.feed(live.finish())
        block = []
        #expect(terminal.isCursorVisible && terminal.wraps)
      }
      if Int.random(in: 0..<2, using: &random) == 0 { block = randomBlock(&random, block) }
      terminal.feed(live.show(block, log: log, size: size))
      #expect(live.isLive == !block.isEmpty)
      #expect(terminal.isCursorVisible == block.isEmpty && terminal.wraps == block.isEmpty)
      #expect(terminal.column == 0)
      let bottom = (0..<max(1, shown(block, size).count)).map { terminal.screen[terminal.row - $0].text }.reversed()
      #expect(Array(bottom) == (block.isEmpty ? [""] : shown(block, size)))
    }
    #expect(terminal.complaints == [])
  }

  /// The same frames with different texts in block and lines: the rows above the block are exactly what was printed.
  @Test(arguments: 0..<25) func `what is printed stays above the block, whole and in order`(seed: UInt64) {
    var random = SplitMix(seed &+ 1000)
    let size = TerminalSize(columns: Int.random(in: 2...25, using: &random), rows: Int.random(in: 1...10, using: &random))
    var terminal = ScreenModel(columns: size.columns, rows: size.rows)
    var paper = ScreenModel(columns: size.columns, rows: 2000)
    var live = screen(size.columns, size.rows)
    var block: [StyledLine] = []
    for _ in 0..<60 {
      block = randomBlock(&random, block)
      let log = (0..<Int.random(in: 0...2, using: &random)).map { _ in StyledLine(randomText(&random, ">")) }
      for line in log { paper.feed(Array("\(line.text)\r\n".utf8)) }
      terminal.feed(live.show(block, log: log, size: size))
      var whole = paper
      whole.feed(Array(shown(block, size).joined(separator: "\r\n").utf8))
      #expect(terminal.text == whole.text)
    }
  }

  /// After a resize the top of an old block may remain if it has left the screen, but printed lines are never lost.
  @Test(arguments: 0..<30, [true, false]) func `resizing gives the wanted block and takes nothing away`(seed: UInt64, reflows: Bool) {
    var random = SplitMix(seed &+ 5000)
    var size = TerminalSize(columns: 20, rows: 8)
    var terminal = ScreenModel(columns: 20, rows: 8, reflows: reflows)
    var capabilities = TerminalCapabilities(isTerminal: true, size: size, environment: ["TERM": "xterm", "LANG": "C.UTF-8"])
    capabilities.reflows = reflows
    var live = LiveScreen(capabilities)
    var printed: [String] = []
    var block: [StyledLine] = []
    for step in 0..<40 {
      if Int.random(in: 0..<3, using: &random) == 0 {
        size = TerminalSize(columns: Int.random(in: 6...30, using: &random), rows: Int.random(in: 1...12, using: &random))
        terminal.resize(columns: size.columns, rows: size.rows)
      }
      block = randomBlock(&random, block)
      var log: [StyledLine] = []
      if Int.random(in: 0..<2, using: &random) == 0 {
        printed.append(">\(step)<")
        log = [StyledLine(">\(step)<")]
      }
      terminal.feed(live.show(block, log: log, size: size))
      let wanted = block.isEmpty ? [""] : shown(block, size)
      #expect(terminal.row >= wanted.count - 1)
      if terminal.row < wanted.count - 1 { return }
      let bottom = wanted.indices.reversed().map { terminal.screen[terminal.row - $0].text }
      #expect(bottom == wanted)
      #expect(terminal.logicalLines.joined().matches(of: />[0-9]+</).map { String($0.output) } == printed)
    }
    #expect(terminal.complaints == [])
  }
}
