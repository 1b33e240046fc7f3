internal import StockbusPlugin

struct DedupeSettings: Options {
  @Setting(
    "How long an event is remembered after it last came, by the receipts of the events: longer than one line may be behind another.",
    in: .milliseconds(1) ... .seconds(86_400))
  var within: Duration
  @Setting("The fields whose values make two events the same, such as symbol, time, price; by default all except received.", count: 1...)
  var by: [String]?

  init() {}

  /// What is wrong with the names in `by` for events of a type.
  func faults<E: Event>(for _: E.Type) -> [TextFault] {
    let names = E.schema.fields.map(\.name)
    let received = E.schema.fields.contains { $0.name == "received" && $0.offset == E.schema.receivedOffset }
    var seen: Set<String> = []
    return (by ?? []).enumerated().compactMap { item, name in
      if !names.contains(name) {
        let hint = didYouMean(name, among: names, otherwise: "; there are \(names.joined(separator: ", "))")
        return TextFault("by", item: item, "'by': \(E.eventName) has no field '\(name)'\(hint)")
      }
      if received, name == "received" {
        return TextFault("by", item: item, "'by': 'received' differs on every line, so no event would be a copy of another")
      }
      return seen.insert(name).inserted ? nil : TextFault("by", item: item, "'by' names '\(name)' twice")
    }
  }
}
