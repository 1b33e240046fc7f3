/// Where an expression stands: functions over earlier events, such as `sma(price, 20)`, need a place that keeps what they remember.
public struct ExpressionPlace: Sendable, Hashable {
  /// Why the place keeps no memory; nil if it keeps one.
  let refusal: String?

  /// An `ExpressionRunner` judges all events in their order.
  public static let withMemory = ExpressionPlace(refusal: nil)
  /// Single events are judged.
  public static let singleEvents = withoutMemory("this condition is about single events")

  /// Functions with memory are an error that gives this reason: a clause such as "a filter of rows sees only the last event of each symbol".
  public static func withoutMemory(_ reason: String) -> ExpressionPlace { ExpressionPlace(refusal: reason) }

  var keepsMemory: Bool { refusal == nil }
}
