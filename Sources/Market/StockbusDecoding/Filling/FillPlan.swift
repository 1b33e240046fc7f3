package import StockbusPlugin

/// How the missed trades of one series of numbers are fetched and decoded. For one task at a time.
package final class FillPlan {
  /// Where a page begins.
  package enum Beginning: Hashable, Sendable {
    /// At a number; the next page follows.
    case from
    /// Below a number; the next page is older.
    case before
    /// At a time; the next page follows.
    case since
  }

  /// The name of the series.
  package let series: String
  package let beginning: Beginning
  /// The shortest time between two requests.
  package let pace: Duration
  package let headers: [(name: String, value: Secret)]
  private let template: FillTemplate
  private let form: SymbolTemplate
  private let secrets: [String: Secret]
  private var reader: MessageReader

  /// One missed trade.
  package struct Row: Hashable, Sendable {
    package var trade: Trade
    package let number: Int64

    package init(_ trade: Trade, number: Int64) {
      self.trade = trade
      self.number = number
    }
  }

  /// What a reply contains.
  package struct Page: Sendable {
    package var rows: [Row] = []
    /// The error that the venue reports instead.
    package var refusal: String?
    /// What is wrong with the reply, or with some of its rows.
    package var fault: String?
  }

  /// The plans of a complete spec, by series. `limit` is the longest page in bytes. Throws all reasons why trades cannot be fetched.
  package static func all(of spec: DecodingSpec, limit: Int) throws(DecodingSpecError) -> [FillPlan] {
    let faults = spec.fillFaults()
    guard faults.isEmpty else { throw DecodingSpecError(faults) }
    return (spec.fill?.entries ?? []).compactMap { FillPlan($0.name, $0.value, spec, limit) }
  }

  private init?(_ series: String, _ fill: FillSpec, _ spec: DecodingSpec, _ limit: Int) {
    let template = FillTemplate(fill.url ?? "")
    guard let beginning = template.beginning else { return nil }
    self.series = series
    self.template = template
    self.beginning = beginning
    pace = fill.pace ?? .seconds(1)
    headers = (fill.headers?.entries ?? []).map { ($0.name, $0.value) }
    form = SymbolTemplate(fill.symbol ?? spec.symbol)
    secrets = spec.secrets
    let page = fill.page(spec)
    let names = (page.messages?.entries ?? []).map { $0.value.sequence?.series ?? $0.name }
    reader = MessageReader(checked: page, event: .trade, symbols: [], limit: limit, intake: .open, filled: Set(names))
  }

  /// The address of a page; nil if the REST has no name for the symbol.
  package func address(of symbol: Symbol, from: Int64, before: Int64, since: Timestamp) -> String? {
    form.venueName(symbol.description).map {
      template.text(symbol: $0, from: from, before: before, since: since, credentials: secrets)
    }
  }

  /// Decodes a reply about a symbol.
  package func read(_ reply: UnsafeBufferPointer<UInt8>, of symbol: Symbol, received: Timestamp) -> Page {
    var page = Page()
    reader.asked = symbol
    let outcome = reader.read(reply, received: received) { values in
      if values.series >= 0 { page.rows.append(Row(Trade(values), number: values.number)) }
    }
    page.note(outcome)
    return page
  }
}

extension FillPlan.Page {
  fileprivate mutating func note(_ outcome: MessageOutcome) {
    switch outcome {
    case .events, .acknowledgement, .authenticated, .heartbeat, .other: break
    case .refusal(_, let text): refusal = refusal ?? text
    case .notJSON(let text): fault = fault ?? "'\(text)' is not JSON"
    case .unknown(let shape): fault = fault ?? "unknown kind of reply: \(shape)"
    case .malformed(let reason): fault = fault ?? reason
    case .several(let outcomes): for outcome in outcomes { note(outcome) }
    }
  }
}
