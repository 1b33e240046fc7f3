public import EventBus
public import MarketData

/// A component that can say what it does with the events of one symbol, and by which of its settings: for `stockbus why SYMBOL`.
public protocol ExplainingComponent: Component {
  /// What it does with events of `symbol` now; empty if it has nothing to say. It keeps nothing for this, and says what it knows anyway.
  ///
  /// - Parameter last: the last event of the symbol that has come on one of its inputs since the question was asked; nil if none has.
  func explain(_ symbol: Symbol, last: (any Event)?) -> [Explanation]
}

/// What a component does with the events of a symbol.
public struct Explanation: Sendable, Hashable {
  public enum Verdict: String, Sendable, Hashable, CaseIterable {
    /// It passes them on.
    case passes
    /// It leaves them out.
    case filters
    /// It has a rank among others.
    case ranks
    /// It has sent an alert because of it.
    case alerts
    /// It has looked at it, and nothing follows.
    case waits
  }

  public var verdict: Verdict
  /// Why, in one sentence without a period, with the values that matter: `'symbols' does not list it`.
  public var reason: String
  /// The setting that decides; nil if none does.
  public var setting: OptionPlace?
  /// The time of the event that it is about; nil if it is about none.
  public var time: Timestamp?

  public init(_ verdict: Verdict, _ reason: String, by setting: OptionPlace? = nil, at time: Timestamp? = nil) {
    self.verdict = verdict
    self.reason = reason
    self.setting = setting
    self.time = time
  }
}
