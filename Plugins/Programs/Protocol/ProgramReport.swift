internal import EventBus
internal import StockbusPlugin

/// What a program tells of its work besides events, for the ledger and the topics of the run.
enum ProgramReport {
  /// Events that were taken and could not be kept.
  case lost(Int, String)
  /// A line under the ledger.
  case note(String)
  case counter(String, doc: String, add: Int)
  case connection(ConnectionStatus.State, String)
  case gap(String, expected: Int64, got: Int64)
  /// What the program knows from now on is lost with it.
  case remembers

  /// The most counters of one process.
  static let counterLimit = 64
  /// The most that one message adds to a counter.
  static let most = 1 << 32

  /// Nil if the message does not say what it has to.
  init?(_ name: String, _ message: JSONValue) {
    func text(_ key: String) -> String? { message[key]?.text }
    func number(_ key: String) -> Int64? { if case .number(let digits)? = message[key] { Int64(digits) } else { nil } }
    func count(_ key: String) -> Int? { message[key]?.count.flatMap { $0 <= Self.most ? $0 : nil } }
    switch name {
    case "lost":
      guard let count = count("lost") else { return nil }
      self = .lost(count, text("reason") ?? "it says no reason")
    case "note":
      guard let note = text("note") else { return nil }
      self = .note(note)
    case "counter":
      guard let name = text("counter"), !name.isEmpty, name.utf8.count <= 64, let count = count("add") else { return nil }
      self = .counter(visible(name), doc: visible(text("doc") ?? "", limit: 512), add: count)
    case "connection":
      guard let state = text("connection").flatMap(ConnectionStatus.State.init(word:)) else { return nil }
      self = .connection(state, text("reason") ?? "")
    case "gap":
      guard let stream = text("gap"), let expected = number("expected"), let got = number("got") else { return nil }
      self = .gap(stream, expected: expected, got: got)
    case "remembers": self = .remembers
    default: return nil
    }
  }
}

extension ConnectionStatus.State {
  init?(word: String) {
    guard let state = Self.allCases.first(where: { $0.fieldName == word }) else { return nil }
    self = state
  }
}
