internal import MarketData

/// How much of the past a part of a component takes, until what it gives is what it would give if it had seen everything.
public struct PastNeed: Sendable, Hashable {
  public enum Amount: Sendable, Hashable {
    /// Events of a symbol.
    case events(Int)
    case time(Duration)
  }

  /// The part, such as `sma(close, 50)`.
  public let part: String
  public let amount: Amount

  public init(_ part: String, _ amount: Amount) { (self.part, self.amount) = (part, amount) }
}

/// A component that says how much of the past it takes; for the check of a configuration whose sources have one.
public protocol PastNeedingComponent: Component {
  static func needs(_ settings: Settings) -> [PastNeed]
  /// The time between two events of a symbol that it sends, if they are regular, as bars are; nil for others.
  static func interval(_ settings: Settings) -> Duration?
}

extension PastNeedingComponent {
  public static func needs(_ settings: Settings) -> [PastNeed] { [] }
  public static func interval(_ settings: Settings) -> Duration? { nil }

  static func needs(inAny settings: any Options) -> [PastNeed] { (settings as? Settings).map(needs) ?? [] }
  static func interval(inAny settings: any Options) -> Duration? { (settings as? Settings).flatMap(interval) }
}

extension Blueprint.Assembly {
  /// What the component needs of the past; nothing if it does not say.
  package var needs: [PastNeed] { (declared.component as? any PastNeedingComponent.Type)?.needs(inAny: declared.settings) ?? [] }
  /// The time between two events of a symbol that it sends, if they are regular.
  package var interval: Duration? { (declared.component as? any PastNeedingComponent.Type)?.interval(inAny: declared.settings) }
}
