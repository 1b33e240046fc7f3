internal import StockbusPeople
internal import StockbusPlugin

/// The run as the routes of people need it: accounts only store what people have.
protocol PeopleHost: Sendable {
  /// The scopes that the run can use at all; a person's further rights are not shown.
  func usableScopes() async -> Set<Scope>
  /// True for a name that nobody may sign up with, because something in the run already uses it.
  func isReserved(_ name: String) async throws(AccountError) -> Bool
  /// More members of `/api/session`.
  func sessionMembers() async -> [JSONValue.Member]
  /// More members of `/api/export`.
  func exportedMembers(of person: Person) async -> [JSONValue.Member]
  /// Called after each change, with all data of this kind that the person now has, in the form of its route.
  func send(_ change: AccountRoutes.Change, _ record: JSONValue, to person: Person) async

  /// Reads a rule, a JSON object; otherwise `AccountError.malformed` says what is wrong with it.
  func read(rule: String) throws(AccountError) -> ShownRule
  /// Applies a change of a person's own rule, given as stored text, to the run before it is stored; returns why it is refused.
  func follow(_ rule: String, _ change: OwnRuleChange, of person: Person) async -> AccountError?
  /// The rules of the run, as a page shows them to a person. Their ids are no numbers.
  func configuredRules(for person: Person) async -> [JSONValue]
  /// Mutes a rule of the run; returns false if there is none.
  func muteRule(_ id: String, _ isMuted: Bool) async -> Bool
  /// Removes a rule of the run; returns false if there is none.
  func removeRule(_ id: String) async -> Bool
}

/// A rule as a page shows it.
struct ShownRule: Sendable, Hashable {
  var name: String
  /// Nil for a rule about all symbols.
  var symbol: String?
  /// `crosses above 88`.
  var condition: String
  /// The price, if the rule has one.
  var threshold: String?

  func json(id: String, isMuted: Bool, isOwn: Bool) -> JSONValue {
    [
      "id": .string(id), "name": .string(name), "symbol": symbol.map(JSONValue.string) ?? .null, "condition": .string(condition),
      "threshold": threshold.map(JSONValue.string) ?? .null, "muted": .bool(isMuted), "own": .bool(isOwn),
    ]
  }
}

/// A change of a person's own rule.
enum OwnRuleChange: Sendable, Hashable {
  case add, mute, unmute, remove
}
