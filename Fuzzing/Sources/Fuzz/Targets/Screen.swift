@testable import ConsoleViewer
internal import MarketData
@testable import StockbusFiles
internal import StockbusInstruments
internal import StockbusPlugin
@testable import StockbusTerminal
@testable import StockbusViewing

extension Target {
  /// Time zone files: offsets are plausible, and local times are converted to the times at which a clock shows them.
  static let zones = Target(
    "zones", "files of time zones (TZif)", limit: 2048,
    words: ["TZif2", "EST5EDT,M3.2.0,M11.1.0", "<+0330>-3:30", "\nXXX-1\n", "J60", "/167:59:59", "M12.5.6"], seeds: zoneSeeds, budget: 300
  ) { bytes in
    do throws(ZoneFile.Problem) {
      let zone = try ZoneFile(bytes)
      for time in [0, -1, 1_381_239_000, 1 << 31, -(1 << 31), 4_102_444_800, 9_223_372_036, -9_223_372_036, 1 << 41, .max, .min] {
        law(abs(zone.offset(at: time)) <= 200 * 3600, "an offset of \(zone.offset(at: time)) s at \(time)")
      }
    } catch { law((1...(bytes.count + 1)).contains(error.byte) && !error.reason.isEmpty, "\(error) lies outside of the file") }
    // The bytes as a rule.
    if let rule = try? ZoneRule(bytes) {
      for time in stride(from: -4_000_000_000, to: 8_000_000_000, by: 999_999_937) {
        law(abs(rule.offset(at: time)) <= 25 * 3600, "an offset of \(rule.offset(at: time)) s at \(time)")
      }
    }
  }

  private static let zoneSeeds: [[UInt8]] = {
    func integer(_ value: Int, _ size: Int) -> [UInt8] { (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    func header(_ changes: Int, _ offsets: Int, _ characters: Int, _ version: UInt8) -> [UInt8] {
      let counts = [0, 0, 0, changes, offsets, characters].flatMap { integer($0, 4) }
      return Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15) + counts
    }
    func file(_ changes: [(at: Int, kind: Int)], _ offsets: [Int], _ rule: String, version: UInt8 = 50) -> [UInt8] {
      var bytes = header(0, 1, 1, version) + integer(0, 4) + [0, 0, 0]
      bytes += header(changes.count, offsets.count, 4, version) + changes.flatMap { integer($0.at, 8) } + changes.map { UInt8($0.kind) }
      bytes += offsets.flatMap { integer($0, 4) + [0, 0] }
      return bytes + Array("XXX\0\n\(rule)\n".utf8)
    }
    return [
      file([(1000, 1), (2000, 2)], [60, 120, 180], "XXX-1"), file([], [0], "EST5EDT,M3.2.0,M11.1.0"), file([(0, 0)], [-7], ""),
      Array("EST5EDT,M3.2.0/2,J365/167".utf8), Array("<+0330>-3:30<+0430>,79/24,263/24".utf8),
    ]
  }()

  /// The viewer's file: entries that were read, written and read again are the same.
  static let memories = Target(
    "memories", "what the viewer keeps from run to run", limit: 1024,
    words: [
      "# stockbus console_viewer\n", "watch ", "alert ", " above ", " below ", "AAPL", "200.5", "\n", "\r\n", "\u{2028}", "A B", "\u{feff}",
    ],
    budget: 200
  ) { bytes in
    var damaged = 0
    let memory = ViewerMemory(text: text(bytes), damaged: &damaged)
    law(damaged >= 0 && damaged <= bytes.count, "\(damaged) lines are damaged")
    var again = 0
    let second = ViewerMemory(text: memory.text, damaged: &again)
    law(second == memory && again == 0, "\(memory) is kept as \(second), with \(again) lines damaged: \(memory.text)")
  }

  /// Keys are the same however the bytes are cut, and no more is buffered than the limit of a sequence.
  static let terminal = Target(
    "terminal", "what a terminal sends", limit: 512,
    words: [
      "\u{1b}[", "\u{1b}O", "\u{1b}[<0;10;10M", "\u{1b}[1;5A", "\u{1b}[?2026;2$y", "\u{1b}\u{1b}[A", "\u{1b}[200~", "\u{9b}", "é",
      "\u{1f600}",
    ],
    budget: 100
  ) { bytes in
    let whole = keys(bytes, [bytes.count])
    for sizes in [[1], [2, 3], [7]] {
      let other = keys(bytes, sizes)
      law(other == whole, "cut into \(sizes) it is \(other), whole \(whole)")
    }
    law(whole.count <= bytes.count + 1, "\(whole.count) keys of \(bytes.count) bytes")
  }

  private static func keys(_ bytes: [UInt8], _ sizes: [Int]) -> [InputEvent] {
    var decoder = InputDecoder()
    var events: [InputEvent] = []
    for piece in pieces(bytes[...], sizes) { events += decoder.feed(piece) }
    events += decoder.timeout()
    law(!decoder.isPending, "something is left over after the time-out")
    return events
  }

  /// The whole screen with keys, mouse, sizes, prices and times: the frame always has the right size.
  static let screen = Target(
    "screen", "the viewer under keys, mouse, sizes and prices", limit: 512,
    words: [
      "\u{1b}[A", "\u{1b}[B", "\r", "\t", "/price > 1\r", "/aapl\r", "a200\r", "a\u{1b}[A", "w", "x", " ", "s", "S", "c", "?", "p", "t",
      "1", "9",
    ],
    seeds: [
      "PP\u{19}\u{1}\u{50}\u{1}\u{19}\u{0}Q\u{1}\u{19}\u{2} \u{1}\u{1b}[B\r\u{1b}[C\u{1b}/price > 1\rw2a200\r1sSc\u{1b}[B \u{1b}?tp+",
      "\u{0}\u{0}\u{19}\u{1}P\u{1}\u{1b}[B\r\u{1a}@\u{18}P\u{18}ccc",
    ].map { Array($0.utf8) }, budget: 1500
  ) { bytes in
    var choices = Choices(bytes)
    var state = ScreenState(
      size: TerminalSize(columns: 1 + choices.pick(140), rows: 1 + choices.pick(50)), lists: [("tech", ["NVDA", "AAPL"])])
    var now: Int64 = 0
    func tick() {
      now += 300_000_000
      _ = state.reduce(.tick(now, wall: Timestamp(ns: 1_381_239_000_000_000_000 + now)))
      let frame = ScreenLayout.frame(state, colors: .trueColor)
      law(frame.size == state.size, "a frame of \(frame.size) on a screen of \(state.size)")
    }
    tick()
    var decoder = InputDecoder()
    while let byte = choices.rest.first {
      guard byte == 0x18 || byte == 0x19 || byte == 0x1a else {
        let typed = choices.rest.prefix { $0 != 0x18 && $0 != 0x19 && $0 != 0x1a }
        choices.skip(typed.count)
        for event in decoder.feed(typed) + decoder.timeout() {
          switch event {
          case .key(let press): _ = state.reduce(.key(press))
          case .mouse(let mouse): _ = state.reduce(.mouse(mouse))
          case .mode: break
          }
        }
        tick()
        continue
      }
      choices.skip(1)
      switch byte {
      case 0x18: _ = state.reduce(.resize(TerminalSize(columns: 1 + choices.pick(200), rows: 1 + choices.pick(60))))
      case 0x19:
        let names: [Symbol] = ["AAPL", "NVDA", "BRK.B", "東京", "X"]
        let time = Timestamp(ns: 1_381_239_000_000_000_000 + now)
        let symbol = names[choices.pick(names.count)]
        let price = Price(raw: Int64(choices.pick(256)) * [1, 10_000_000, 1_000_000_000, 36_000_000_000_000_000][choices.pick(4)])
        state.market.take([Trade(symbol: symbol, price: price, size: 1, time: time, received: time, priceDecimals: 2)].span, at: state.now)
      default: now += Int64(choices.pick(256)) * 1_000_000_000
      }
      tick()
    }
  }

  /// Links to a symbol's page: each gives a symbol or an error of one sentence; a symbol's own link gives the symbol.
  static let links = Target(
    "links", "links to a symbol's page", limit: 256, words: ["stocks://symbol/", "STOCKS://", "%41", "%FF", "%C3%84", "/", "AAPL"],
    budget: 100
  ) { bytes in
    do throws(CommandError) {
      let symbol = try StockLink(text(bytes)).symbol
      let name = symbol.description.utf8.map { byte in
        (byte | 32) &- 97 < 26 || byte &- 48 < 10 ? String(Unicode.Scalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
      let link = "stocks://symbol/" + name.joined()
      law(try StockLink(link).symbol == symbol, "\(link) leads to another symbol than \(symbol)")
    } catch { law(!error.description.isEmpty, "a sentence says what is wrong") }
  }
}
