import MarketData
import StockbusPlugin
import Testing

enum Order: String, Choice { case ascending, descending }
enum Overflow: String, Choice { case block, dropOldest, dropNewest, conflate }

/// One setting of every kind.
struct Everything: Options, Equatable {
  @Setting("How often new prices appear.", in: .milliseconds(1) ... .seconds(3600)) var interval = Duration.seconds(2)
  @Setting("The file to read.") var path: String
  @Setting("Where to post, if anywhere.") var url: String?
  @Setting("How many at most.", in: 1...1000) var limit = 500
  @Setting("Which end comes first.") var order = Order.descending
  @Setting("What to watch.", count: 1...3) var symbols: [Symbol] = ["AAPL", "NVDA"]
  @Setting("How much may wait.", in: .kibibytes(4)...) var bufferSize = ByteSize.kibibytes(64)
  @Setting("The token.") var token: Secret
}

/// The other kinds.
struct Further: Options, Equatable {
  @Setting("Whether to show it.") var isShown = true
  @Setting("A price to cross.", in: 0...) var crossesAbove: Price?
  @Setting("How many shares.") var size: Quantity = 100
  @Setting("How far back it must go.", in: ...5) var rearm: Percent = Percent(raw: 500_000_000)
  @Setting("When to begin.") var from: Timestamp?
  @Setting("How fast.", in: ...Rate.perSecond(1000)) var rate = Rate.perSecond(10)
  @Setting("The seed.") var seed: UInt32 = 42
  @Setting("Its name.", length: 1...8) var name = "feed"
  @Setting("Pauses.", in: .seconds(1)..., count: ...2) var pauses: [Duration] = []
  @Setting("Further headers.") var headers: Mapping<String> = [:]
  @Setting("What to do when it is full.") var overflow: [Overflow] = []
}

struct Rule: Options, Equatable {
  @Setting("What it is called.", length: 1...) var name: String
  @Setting("What it is about.") var symbol: Symbol
  @Setting("How long it stays quiet.") var cooldown = Duration.seconds(60)
  @Setting("A floor.") var low: Price?
  @Setting("A ceiling.") var high: Price?

  func validate(_ problems: inout OptionProblems) {
    if low == nil, high == nil { problems.add("needs 'low' or 'high'") }
    if let low, let high, low > high { problems.add("'low' is above 'high'", at: "low") }
  }
}

struct Buffer: Options, Equatable {
  @Setting("How many events.", in: 1...) var capacity = 16
  @Setting("When to flush.") var flush: Duration?

  init() {}
  init(capacity: Int, flush: Duration? = nil) {
    self.capacity = capacity
    self.flush = flush
  }
}

struct Rules: Options, Equatable {
  @Setting("What to watch for.", count: 1...) var rules: [Rule]
  @Setting("How events wait.") var buffer = Buffer()
  @Setting("Where alerts go.") var channels: [Channel] = []
}

struct Desktop: Options, Equatable {
  @Setting("How long it stays.") var duration = Duration.seconds(5)
}

struct Webhook: Options, Equatable {
  @Setting("Where to post.") var url: String
  @Setting("What proves who posts.") var token: Secret?

  init() {}
  init(url: String) { self.url = url }
}

enum Channel: OneOf, Equatable {
  case desktop(Desktop)
  case webhook(Webhook)
  static let cases: [OneOfCase<Channel>] = [
    .init("desktop", "A notification on the desktop.", Channel.desktop),
    .init("webhook", "A POST to a web address.", Channel.webhook),
  ]
  var chosen: (name: String, options: any Options) {
    switch self {
    case .desktop(let options): ("desktop", options)
    case .webhook(let options): ("webhook", options)
    }
  }
}

/// One setting of any type.
struct One<Value: OptionValue>: Options {
  @Setting("It.") var it: Value
}

/// Where a missing mapping is reported in these tests.
let elsewhere = ConfigNode.Mark(line: 9, column: 9)

/// The options decoded from `text`, which is flow YAML.
func decode<O: Options>(_ type: O.Type, _ text: String) throws -> O {
  var reader = FlowReader(text)
  return try O.decode(reader.node(), at: elsewhere)
}

/// The problems of decoding `text`, each as `line:column message`.
func complaints<O: Options>(_ type: O.Type, _ text: String) -> [String] {
  var reader = FlowReader(text)
  do throws(Problems) {
    _ = try O.decode(reader.node(), at: elsewhere)
    return []
  } catch {
    return error.sorted.map { "\($0.mark.line):\($0.mark.column) \($0.message)" }
  }
}

/// The value of `text` as an option of this type.
func value<Value: OptionValue>(_ type: Value.Type, _ text: String) throws -> Value {
  try decode(One<Value>.self, "{it: \(text)}").it
}

/// The text after `'it' must be ` in the only problem of `text`.
func complaint<Value: OptionValue>(_ type: Value.Type, _ text: String) -> String {
  let all = complaints(One<Value>.self, "{it: \(text)}")
  let prefix = "1:6 'it' must be "
  return all.count == 1 && all[0].hasPrefix(prefix) ? String(all[0].dropFirst(prefix.count)) : all.joined(separator: " | ")
}
