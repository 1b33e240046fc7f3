internal import StockbusAccounts
internal import StockbusPlugin

/// What a dashboard knows about alert rules, which accounts only store.
struct OwnRules: Sendable {
  /// A rule as a page shows it.
  struct Shown: Sendable, Hashable {
    var name: String
    /// Nil for a rule about all symbols.
    var symbol: String?
    /// `crosses above 88`.
    var condition: String
    /// The price, if the rule has one.
    var threshold: String?

    init(name: String, symbol: String?, condition: String, threshold: String?) {
      self.name = name
      self.symbol = symbol
      self.condition = condition
      self.threshold = threshold
    }

    func json(id: String, isMuted: Bool, isOwn: Bool) -> JSONValue {
      [
        "id": .string(id), "name": .string(name), "symbol": symbol.map(JSONValue.string) ?? .null, "condition": .string(condition),
        "threshold": threshold.map(JSONValue.string) ?? .null, "muted": .bool(isMuted), "own": .bool(isOwn),
      ]
    }
  }

  /// A change of a person's own rule.
  enum Change: Sendable, Hashable {
    case add, mute, unmute, remove
  }

  /// Reads a rule, a JSON object; otherwise `AccountError.malformed` says what is wrong with it.
  var read: @Sendable (String) -> Result<Shown, AccountError>
  /// Applies a change of a person's own rule, given as stored text, to the run before it is stored; returns why it is refused.
  var follow: @Sendable (Person, String, Change) async -> AccountError?
  /// The rules of the run, as a page shows them to a person. Their ids are no numbers.
  var configured: @Sendable (Person) async -> [JSONValue]
  /// Mutes a rule of the run; returns false if there is none.
  var mute: @Sendable (_ id: String, _ isMuted: Bool) async -> Bool
  /// Removes a rule of the run; returns false if there is none.
  var remove: @Sendable (_ id: String) async -> Bool

  init(
    read: @escaping @Sendable (String) -> Result<Shown, AccountError>,
    follow: @escaping @Sendable (Person, String, Change) async -> AccountError? = { _, _, _ in nil },
    configured: @escaping @Sendable (Person) async -> [JSONValue] = { _ in [] },
    mute: @escaping @Sendable (String, Bool) async -> Bool = { _, _ in false },
    remove: @escaping @Sendable (String) async -> Bool = { _ in false }
  ) {
    self.read = read
    self.follow = follow
    self.configured = configured
    self.mute = mute
    self.remove = remove
  }
}
