internal import MarketData
internal import StockbusText
internal import StockbusViewing

/// A message of a page on its WebSocket: `Documentation/maintain/formats.md`, "`GET /live`".
enum PageMessage: Hashable {
  case hello(epoch: String?, cursor: UInt32)
  /// Nil ends the pane.
  case pane(UInt8, RowQuery?, Range<Int32>)
  case symbol(String?)
  case ready(frame: UInt32)
  case run(isOn: Bool)

  /// The longest texts and lists that are accepted.
  static let longestText = 1024
  static let mostSymbols = 1000

  struct Fault: Error {
    let pane: UInt8?
    let text: String
  }

  private struct Form: Decodable {
    struct View: Decodable {
      var filter: String?
      var find: String?
      var kind: String?
      var symbols: [String]?
      var sort: String?
      var descending: Bool?
    }

    let op: String
    var epoch: String?
    var cursor: UInt32?
    var pane: UInt8?
    var view: View?
    var from: Int32?
    var count: Int32?
    var symbol: String?
    var frame: UInt32?
    var on: Bool?
  }

  init(_ text: String) throws(Fault) {
    if let frame = Self.readyFrame(text) {
      self = .ready(frame: frame)
      return
    }
    guard let form = JSONDocument.read(Form.self, Array(text.utf8)) else {
      throw Fault(pane: nil, text: "the message is not JSON with the members of the protocol")
    }
    switch form.op {
    case "hello": self = .hello(epoch: form.epoch, cursor: form.cursor ?? 0)
    case "pane": self = try Self.pane(form)
    case "symbol": self = .symbol(form.symbol?.cut(toBytes: Self.longestText))
    case "ready":
      guard let frame = form.frame else { throw Fault(pane: nil, text: "'ready' needs the number of a frame") }
      self = .ready(frame: frame)
    case "run": self = .run(isOn: form.on ?? false)
    default: throw Fault(pane: nil, text: "unknown 'op'")
    }
  }

  /// The frame of a `ready` as the page writes it; nil for any other message. There is one for each frame, and a JSON decoder takes as long
  /// as all the other work for it.
  private static func readyFrame(_ text: String) -> UInt32? {
    let head = #"{"op":"ready","frame":"#
    guard text.utf8.starts(with: head.utf8), text.utf8.last == UInt8(ascii: "}") else { return nil }
    let digits = text.utf8.dropFirst(head.utf8.count).dropLast()
    guard (1...10).contains(digits.count), digits.count == 1 || digits.first != UInt8(ascii: "0") else { return nil }
    var frame: UInt64 = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      frame = frame * 10 + UInt64(digit - UInt8(ascii: "0"))
    }
    return UInt32(exactly: frame)
  }

  private static func pane(_ form: Form) throws(Fault) -> PageMessage {
    guard let pane = form.pane, pane < Client.panes else { throw Fault(pane: nil, text: "'pane' must be 0 to \(Client.panes - 1)") }
    guard let view = form.view else { return .pane(pane, nil, 0..<0) }
    let (from, count) = (form.from ?? 0, form.count ?? 100)
    guard from >= 0, (0...Client.largestWindow).contains(count), from <= Int32.max - count else {
      throw Fault(pane: pane, text: "'from' must not be negative, and 'count' at most \(Client.largestWindow)")
    }
    var query = RowQuery(filter: view.filter ?? "", find: view.find ?? "", kind: view.kind ?? "", symbols: view.symbols)
    let texts = [query.filter, query.find, query.kind] + (query.symbols ?? [])
    guard texts.allSatisfy({ $0.utf8.count <= longestText }), (query.symbols?.count ?? 0) <= mostSymbols else {
      throw Fault(pane: pane, text: "a text has at most \(longestText) bytes, a list at most \(mostSymbols) symbols")
    }
    if let sort = view.sort {
      // Which columns are beside the events is known where the message is taken.
      guard case let column = Column(sort), column.isSortable else {
        throw Fault(pane: pane, text: "rows cannot be sorted by this column")
      }
      query.sorting = Sorting(column, isDescending: view.descending)
    }
    return .pane(pane, query, from..<from + count)
  }
}
