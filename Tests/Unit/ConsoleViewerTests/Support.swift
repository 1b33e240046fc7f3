import Foundation
import MarketData
import StockbusPlugin
import StockbusTerminal
import StockbusViewing
import TestSupport
import Testing

@testable import ConsoleViewer

/// 2013-10-08T13:30:00Z, the start time of the tests.
let opening: Int64 = 1_381_239_000_000_000_000
let second: Int64 = 1_000_000_000

/// A screen that a test drives: prices, keys, time, frames.
struct Driver {
  var state: ScreenState
  private(set) var effects: [ScreenEffect] = []

  init(
    _ columns: Int = 80, _ rows: Int = 24, columns chosen: [Column] = Column.usual, sorting: Sorting = Sorting(.rank),
    theme: ThemeName = .dark,
    lists: [(name: String, symbols: [Symbol])] = [], settings: ScreenState.Preferences = .init()
  ) {
    state = ScreenState(
      size: TerminalSize(columns: columns, rows: rows), columns: chosen, sorting: sorting, theme: theme, lists: lists, settings: settings)
    advance(0)
  }

  /// Advances the time by milliseconds and prepares a frame.
  mutating func advance(_ milliseconds: Int64) {
    let now = state.now + milliseconds * 1_000_000
    effects += state.reduce(.tick(now, wall: Timestamp(ns: opening + now)))
  }

  mutating func send(_ event: ScreenEvent) { effects += state.reduce(event) }

  mutating func press(_ keys: Key...) { for key in keys { send(.key(KeyPress(key))) } }

  mutating func type(_ text: String) { for character in text { send(.key(KeyPress(.character(character)))) } }

  /// A trade at the current time; prices in hundredths.
  mutating func trade(_ symbol: Symbol, _ hundredths: Int64, size: Int64 = 100, side: Side = .unknown) {
    let time = Timestamp(ns: opening + state.now)
    let trade = Trade(
      symbol: symbol, price: Price(raw: hundredths * 10_000_000), size: Quantity(raw: size * 1_000_000_000), time: time, received: time,
      side: side, priceDecimals: 2)
    state.market.take([trade].span, at: state.now)
  }

  mutating func rank(_ symbol: Symbol, _ rank: UInt32, was previous: UInt32 = 0, _ hundredths: Int64 = 1000, change: Int64 = 0) {
    let time = Timestamp(ns: opening + state.now)
    let ranked = Ranked(
      symbol: symbol, rank: rank, previousRank: previous, price: Price(raw: hundredths * 10_000_000),
      change: Price(raw: change * 10_000_000), percent: 0, volume: 0, time: time, received: time, priceDecimals: 2)
    state.market.take([ranked].span, at: state.now)
  }

  /// A bar of hundredths that begins so many seconds after the opening.
  mutating func bar(_ symbol: Symbol, _ length: String, at seconds: Int64, _ prices: (Int64, Int64, Int64, Int64), volume: Int64 = 100) {
    let time = Timestamp(ns: opening + seconds * second)
    let (open, high, low, close) = (prices.0 * 10_000_000, prices.1 * 10_000_000, prices.2 * 10_000_000, prices.3 * 10_000_000)
    let bar = Bar(
      symbol: symbol, open: Price(raw: open), high: Price(raw: high), low: Price(raw: low), close: Price(raw: close),
      volume: Quantity(raw: volume * second), time: time, received: time, priceDecimals: 2, length: BarLength(length) ?? .unknown)
    state.market.take([bar].span, at: state.now)
  }

  /// Prices in hundredths; a reference of zero is none.
  mutating func mover(
    _ symbol: Symbol, _ list: MoverList, _ period: MoverPeriod, _ rank: UInt32, _ hundredths: Int64, from reference: Int64 = 0,
    mark: MoverMark = .unmarked
  ) {
    let time = Timestamp(ns: opening + state.now)
    let (price, before) = (Price(raw: hundredths * 10_000_000), Price(raw: reference * 10_000_000))
    let mover = Mover(
      symbol: symbol, list: list, period: period, rank: rank, previousRank: 0, price: price, reference: before,
      change: Price(raw: reference == 0 ? 0 : price.raw - before.raw), percent: Percent.change(from: before, to: price) ?? 0,
      volume: 625_838_269, turnover: 0, time: time, received: time, mark: mark, priceDecimals: 2)
    state.market.take([mover].span)
  }

  mutating func quote(_ symbol: Symbol, _ bid: Int64, _ ask: Int64) {
    let time = Timestamp(ns: opening + state.now)
    let quote = Quote(
      symbol: symbol, bid: Price(raw: bid * 10_000_000), ask: Price(raw: ask * 10_000_000), bidSize: 300, askSize: 200, time: time,
      received: time, priceDecimals: 2)
    state.market.take([quote].span, at: state.now)
  }

  mutating func takeEffects() -> [ScreenEffect] {
    defer { effects = [] }
    return effects
  }

  func frame(_ colors: ColorDepth = .trueColor) -> CellFrame { ScreenLayout.frame(state, colors: colors) }

  /// The symbols as they are shown.
  var shown: [String] { state.listedSymbols.map(\.description) }
}

/// Trades of five symbols: nine rounds, one each second.
func morning(_ driver: inout Driver) {
  let first: [(Symbol, Int64)] = [("AAPL", 18_925), ("MSFT", 33_310), ("BRK.B", 11_400), ("NVDA", 48_780), ("TSLA", 26_000)]
  for round in 0..<9 {
    for (i, (symbol, price)) in first.enumerated() {
      let move = Int64((round * (i + 3) * 7) % 19) - 6
      driver.trade(symbol, price + move * Int64(i + 4), size: Int64(100 * (i + 1)), side: move > 0 ? .buy : .sell)
    }
    driver.advance(1000)
  }
  driver.send(.sample(components, edges, []))
}

let components = [
  RunComponent(
    id: "ticks", kind: .source, plugin: "generator",
    commands: ["raise SYMBOL [AMOUNT]", "lower SYMBOL [AMOUNT]", "randomise SYMBOL"].map { CommandInfo($0, "") }, published: 45),
  RunComponent(id: "ranked", kind: .processor, plugin: "sorting_feed", inputs: ["ticks"], published: 45),
  RunComponent(id: "screen", kind: .sink, plugin: "console_viewer", inputs: ["ranked"]),
]

let edges = [edge("ticks", "ranked", 45), edge("ranked", "screen", 45)]

func edge(_ from: String, _ to: String, _ published: Int, dropped: Int = 0, conflated: Int = 0) -> RunEdge {
  var counts = EdgeCounts()
  counts.published = published
  counts.delivered = published - dropped - conflated
  counts.dropped = dropped
  counts.conflated = conflated
  return RunEdge(from: from, to: to, counts: counts)
}

/// Compares with `Tests/Fixtures/screen/NAME.txt`.
func expect(_ lines: [String], is name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
  let text = lines.joined(separator: "\n") + "\n"
  #expect(try text == Repository.golden("screen/\(name).txt", updatedTo: text), sourceLocation: sourceLocation)
}

/// A row in pieces of one style each: `AAPL[d8dee4 on 101418 bold]`.
func looks(_ frame: CellFrame, row: Int) -> String {
  func name(_ color: Color?) -> String {
    switch color {
    case nil: "-"
    case .ansi(let n): "ansi \(n)"
    case .palette(let n): "palette \(n)"
    case .rgb(let r, let g, let b): [r, g, b].map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
    }
  }
  return frame.line(row: row).runs.map { run in
    let style = run.style
    var words = ["\(name(style.foreground)) on \(name(style.background))"]
    if style.isBold { words.append("bold") }
    if style.isInverse { words.append("inverse") }
    if style.isUnderlined { words.append("underlined") }
    if style.isDim { words.append("dim") }
    return "\(run.text)[\(words.joined(separator: " "))]"
  }.joined()
}
