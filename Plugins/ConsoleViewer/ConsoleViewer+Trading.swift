internal import MarketData
internal import StockbusPlugin
internal import StockbusTerminal
internal import StockbusViewing

extension ConsoleViewer {
  func show(_ batch: Span<Order>) { show(batch, { $0.take($1) }) { TradingText.line($0, zone: $1) } }
  func show(_ batch: Span<Fill>) { show(batch, { $0.take($1) }) { TradingText.line($0, zone: $1) } }
  // Positions and accounts are frequent, so without a full screen they are lines only with `plain`, and where nothing can be redrawn.
  func show(_ batch: Span<Position>) { show(batch, isFrequent: true, { $0.take($1) }) { TradingText.line($0, zone: $1) } }
  func show(_ batch: Span<AccountState>) { show(batch, isFrequent: true, { $0.take($1) }) { TradingText.line($0, zone: $1) } }

  /// On a full screen `take` adds events to the portfolio; elsewhere each event is a line.
  private func show<E: Event>(
    _ batch: Span<E>, isFrequent: Bool = false, _ take: (inout Portfolio, Span<E>) -> Void, _ line: (E, DisplayZone) -> String
  ) {
    if mode == .full {
      take(&state.portfolio, batch)
      events.add(batch.count)
      return requestFrame()
    }
    if isFrequent, mode != .plain { return }
    let zone = context.zone
    let shown = batch.indices.map { batch[$0] }.filter { event in E.schema.symbol(of: event).map { isShown($0) } ?? true }
    lines += shown.map { StyledLine(line($0, zone)) }
    events.add(shown.count)
  }
}
