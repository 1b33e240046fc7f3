internal import StockbusPlugin

/// A report of a program beside its work, at any time: for the log, the ledger and the topics of the run.
enum ProgramRemark {
  case log(String, level: String)
  /// Why the program cannot work at present; nil once it can again.
  case trouble(String?)
  /// A piece of the program's own input that it rejects.
  case reject(String, origin: String, reason: String)
  /// Events that were taken and could not be kept.
  case lost(Int, String)
  /// A line under the ledger.
  case note(String)
  case counter(String, doc: String, add: Int)
  case connection(ConnectionStatus.State, String)
  case gap(String, expected: Int64, got: Int64)
  /// State that the program gains from now on is lost with it.
  case remembers

  /// The most counters of one process.
  static let counterLimit = 64
  /// The most that one message adds to a counter.
  static let most = 1 << 32

  /// Nil if there is no such remark; throws if the remark lacks a required member.
  init?(_ name: String, _ message: JSONValue) throws(ProgramError) {
    func text(_ key: String) -> String? { message[key]?.text }
    func number(_ key: String) -> Int64? { if case .number(let digits)? = message[key] { Int64(digits) } else { nil } }
    func count(_ key: String) -> Int? { message[key]?.count.flatMap { $0 <= Self.most ? $0 : nil } }
    let bad = ProgramError("sends a bad '\(name)': \(shown("\(message)", limit: 200))")
    switch name {
    case "log": self = .log(text("log") ?? "", level: text("level") ?? "info")
    case "trouble": self = .trouble(message["trouble"]?.isNull == true ? nil : text("trouble") ?? "unknown")
    case "reject": self = .reject(text("reject") ?? "", origin: text("origin") ?? "", reason: text("reason") ?? "")
    case "lost":
      guard let count = count("lost") else { throw bad }
      self = .lost(count, visible(text("reason") ?? "it gives no reason", limit: 400))
    case "note":
      guard let note = text("note") else { throw bad }
      self = .note(visible(note, limit: 512))
    case "counter":
      guard let name = text("counter"), !name.isEmpty, name.utf8.count <= 64, let count = count("add") else { throw bad }
      self = .counter(visible(name), doc: visible(text("doc") ?? "", limit: 512), add: count)
    case "connection":
      guard let state = text("connection").flatMap(ConnectionStatus.State.init(word:)) else { throw bad }
      self = .connection(state, visible(text("reason") ?? "", limit: 512))
    case "gap":
      guard let stream = text("gap"), let expected = number("expected"), let got = number("got") else { throw bad }
      self = .gap(visible(stream, limit: 512), expected: expected, got: got)
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
