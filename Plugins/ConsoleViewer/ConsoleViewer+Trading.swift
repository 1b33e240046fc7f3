internal import StockbusPlugin
internal import StockbusTerminal
internal import StockbusViewing

extension ConsoleViewer {
  /// On a full screen `take` adds the events to the portfolio; elsewhere each event is a line.
  func show<E: Event>(
    _ batch: Span<E>, isFrequent: Bool = false, _ take: (inout Portfolio, Span<E>) -> Void, line: (E, DisplayZone) -> String
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
