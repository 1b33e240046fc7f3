public import EventBus
public import MarketData

/// A component that can explain what it does with the events of one symbol, and by which of its settings: for `stockbus why SYMBOL`.
public protocol ExplainingComponent: Component {
  /// What the component does with events of `symbol` now; empty without an explanation. It uses only what it stores anyway.
  ///
  /// - Parameter last: the last event of the symbol that has arrived on one of the component's inputs since the question; nil if none has.
  func explain(_ symbol: Symbol, last: (any Event)?) -> [Explanation]
}

/// What a component does with the events of a symbol.
public struct Explanation: Sendable, Hashable {
  public enum Verdict: String, Sendable, Hashable, CaseIterable {
    /// The component passes the events on.
    case passes
    /// The component leaves the events out.
    case filters
    /// The symbol has a rank among others.
    case ranks
    /// The component has sent an alert because of an event.
    case alerts
    /// The component has checked the event, and nothing follows.
    case waits
  }

  public var verdict: Verdict
  /// The reason, in one sentence without a full stop, with the values that matter: `'symbols' does not list it`.
  public var reason: String
  /// The setting that decides; nil if none does.
  public var setting: OptionPlace?
  /// The time of the explained event; nil if there is none.
  public var time: Timestamp?

  public init(_ verdict: Verdict, _ reason: String, by setting: OptionPlace? = nil, at time: Timestamp? = nil) {
    self.verdict = verdict
    self.reason = reason
    self.setting = setting
    self.time = time
  }
}
