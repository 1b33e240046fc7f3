package import StockbusPlugin

/// How missed trades are fetched from a venue's REST, page by page.
package struct FillSpec: Options {
  @Setting(
    "The address of a page: {symbol} or {symbol:lower} is the instrument, {credentials.NAME} a key, and one of these says where the page begins: {from}, the first missing number; {before}, the number after the last missing one, if pages lead back; {since:ns}, the time of the last trade before the gap (s, ms, us, ns or iso8601).",
    length: 1...)
  package var url: String?
  @Setting("Header fields, such as one with a key; never printed.")
  package var headers: Mapping<Secret>?
  @Setting("How the REST writes symbols, if not as the feed.")
  package var symbol: SymbolForm?
  @Setting("How its times are written, if not as in the feed.")
  package var time: VenueTime?
  @Setting(
    "The shortest time between two requests, so that the venue's limit is kept; 1s if it is not set.",
    in: .milliseconds(1) ... .seconds(600))
  package var pace: Duration?
  @Setting(
    "The kinds of replies by name, as in 'messages' of 'decoding'. Rows are of the symbol that was asked for; 'sequence' has the path of a trade's number."
  )
  package var messages: Mapping<MessageRule>?

  package init() {}

  package init(_ url: String, pace: Duration, symbol: SymbolForm? = nil, time: VenueTime? = nil, messages: Mapping<MessageRule>) {
    self.url = url
    self.pace = pace
    self.symbol = symbol
    self.time = time
    self.messages = messages
  }

  package func validate(_ problems: inout OptionProblems) {
    if let url { for fault in FillTemplate(url).faults { problems.add("'url': \(fault)", at: "url") } }
  }

  /// This description, completed from `base`.
  func over(_ base: FillSpec) -> FillSpec {
    var fill = self
    fill.url = url ?? base.url
    fill.headers = headers ?? base.headers
    fill.symbol = symbol ?? base.symbol
    fill.time = time ?? base.time
    fill.pace = pace ?? base.pace
    fill.messages = DecodingSpec.entries(messages, over: base.messages) { $0.over($1) }
    return fill
  }

  /// How a page is decoded: like the feed's messages, unless this description says otherwise.
  func page(_ spec: DecodingSpec) -> DecodingSpec {
    var page = DecodingSpec()
    page.time = time ?? spec.time
    page.priceScale = spec.priceScale
    page.sizeScale = spec.sizeScale
    page.finerPrices = spec.finerPrices
    page.messages = messages
    return page
  }
}

extension DecodingSpec {
  /// Why missed trades cannot be fetched; empty if they can. The spec must be complete.
  package func fillFaults() -> [DecodingSpecError.Fault] {
    var faults: [DecodingSpecError.Fault] = []
    for (series, fill) in fill?.entries ?? [] {
      func add(_ text: String, at part: String = "") {
        let path = "fill.\(series)\(part)"
        faults.append(.init(option: path, message: "'decoding.\(visible(path, limit: 200))' \(text)"))
      }
      for fault in seriesFaults(series) { add(fault) }
      if let url = fill.url {
        for name in FillTemplate(url).credentials where secrets[name] == nil {
          faults.append(.init(option: "credentials", message: "'credentials' needs '\(visible(name))'"))
        }
      } else {
        add("needs a 'url'")
      }
      for fault in fill.page(self).decodingFaults(event: .trade, needsSymbol: false) {
        let message = fault.message.replacing("'decoding.messages", with: "'decoding.fill.\(visible(series, limit: 64)).messages")
        faults.append(.init(option: "fill.\(series).\(fault.option)", message: message))
      }
      for (name, rule) in fill.messages?.entries ?? [] where rule.event == .trade {
        let part = ".messages.\(name)"
        if rule.sequence == nil { add("needs a 'sequence': the path of a trade's number", at: part) }
        if rule.fields?.time == nil { add("has no 'time', which a missed trade needs", at: "\(part).fields") }
        if rule.fields?.symbol != nil { add("is not needed: rows are of the symbol that was asked for", at: "\(part).fields.symbol") }
      }
    }
    return faults
  }

  /// Why the numbers of a series do not tell which trades are missing.
  private func seriesFaults(_ series: String) -> [String] {
    let numbered = (messages?.entries ?? []).filter { $0.value.event == .trade && $0.value.sequence != nil }
    let rules = numbered.filter { ($0.value.sequence?.series ?? $0.name) == series }
    if rules.isEmpty {
      let known = Set(numbered.map { $0.value.sequence?.series ?? $0.name })
      return ["is of no kind of trades with a 'sequence'\(didYouMean(series, among: known))"]
    }
    var faults: [String] = []
    for (name, rule) in rules {
      guard let sequence = rule.sequence else { continue }
      let name = visible(name, limit: 64)
      let isOfItem = rule.each == nil || sequence.path.root != .message
      if sequence.per != .symbol || sequence.step == .rising || !isOfItem {
        faults.append("needs numbers of the trades: each symbol's own, one more each time, but '\(name)' has others")
      }
      if rule.only != nil { faults.append("needs all trades, but 'only' in '\(name)' leaves some out") }
      if rule.fields?.time == nil { faults.append("needs the times of the trades, but '\(name)' has none") }
    }
    return faults
  }
}
