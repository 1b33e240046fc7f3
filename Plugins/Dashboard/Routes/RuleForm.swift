internal import StockbusText
internal import StockbusViewing

/// A rule about one symbol as the page sends it: the options of a rule in YAML, with texts for numbers.
struct RuleForm {
  static let usage =
    "a rule is {\"symbol\":\"AAPL\",\"crosses_above\":\"88\"} with the options of a rule in YAML; numbers are texts, without exponents"

  private static let flags = ["once", "initial", "urgent"]
  private static let conditions = ["above", "below", "crosses_above", "crosses_below", "rises_by", "falls_by"]

  let symbol: String
  let name: String?
  /// The options but symbol and name, by name.
  private let options: [RuleRequest.Option]
  private let condition: String
  private let threshold: String
  private let window: String?

  private enum Value: Decodable {
    case text(String)
    case flag(Bool)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let flag = try? container.decode(Bool.self) { self = .flag(flag) } else { self = .text(try container.decode(String.self)) }
    }
  }

  init?(_ body: [UInt8]) {
    guard let members = JSONDocument.read([String: Value].self, body), case .text(let symbol)? = members["symbol"]
    else { return nil }
    var (options, name, texts) = ([RuleRequest.Option](), String?.none, [String: String]())
    for (key, value) in members.sorted(by: { $0.key < $1.key }) where key != "symbol" {
      switch value {
      case .text(let text) where key == "name": name = text.isEmpty ? nil : text
      // The sender is the owner, and whose rule it is decides where its alerts go.
      case .text where key == "message" || key == "owner" || key == "channels": return nil
      case .text(let text):
        options.append(.init(key, text))
        texts[key] = text
      case .flag(let isOn): if Self.flags.contains(key) { options.append(.init(key, isOn ? "true" : "false")) } else { return nil }
      }
    }
    self.symbol = symbol
    self.name = name
    self.options = options
    condition = Self.conditions.first { texts[$0] != nil } ?? ""
    threshold = texts[condition] ?? ""
    guard PlainNumbers.are(Self.conditions.map { texts[$0] }) else { return nil }
    window = texts["window"]
  }

  /// What the owner calls it.
  var title: String { name ?? "\(symbol) \(condition) \(threshold)" }

  /// - Parameter owner: whose own rule it is; nil for everybody's.
  func request(owner: String? = nil) -> RuleRequest {
    let name = (owner == nil ? name : title).map { [RuleRequest.Option("name", $0)] } ?? []
    return RuleRequest(.symbol(symbol), options + name, owner: owner)
  }

  var shown: ShownRule {
    ShownRule(
      name: title, symbol: symbol, condition: "\(condition) \(threshold)" + (window.map { " in \($0)" } ?? ""), threshold: threshold)
  }
}
