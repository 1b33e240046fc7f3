internal import EventBus
internal import MarketData

/// The built-in event types and their fields, for a hint when a field belongs to another type than the expression's.
enum Elsewhere {
  /// `origin` names the plugin that emits the type, for types that no source emits.
  private static let types: [(name: String, origin: String, fields: Set<String>)] = [
    entry(Trade.self), entry(Quote.self), entry(Bar.self), entry(Ranked.self, ", which sorting_feed emits,"),
  ]

  private static func entry<E: Event>(_: E.Type, _ origin: String = "") -> (String, String, Set<String>) {
    (E.schema.name, origin, Set(E.schema.fields.map(\.name)))
  }

  /// `a ranked, which sorting_feed emits, has one`; nil if no other type has such a field.
  static func note(on field: String, notIn name: String) -> String? {
    let owners = types.filter { $0.name != name && $0.fields.contains(field) }
    if owners.isEmpty { return nil }
    return owners.map { "a \($0.name)\($0.origin)" }.joined(separator: " and ") + (owners.count == 1 ? " has one" : " have one")
  }
}
