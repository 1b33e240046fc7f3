/// A day of the week; weeks begin on Monday (ISO 8601).
package enum Weekday: Int, CaseIterable, BitwiseCopyable, Sendable {
  case monday, tuesday, wednesday, thursday, friday, saturday, sunday

  /// The day as written in a configuration: `mon`.
  package var word: String { Self.words[rawValue] }

  static let words = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
}
