internal import MarketData
internal import StockbusPlugin
internal import StockbusTerminal

extension ConsoleViewer {
  // Without a full screen orders and fills are lines. Positions and accounts come often, so they are lines only with `plain`, and where
  // nothing can be redrawn.

  func show(_ batch: Span<Order>) {
    if mode == .full {
      state.take(batch)
      events.add(batch.count)
      return stir()
    }
    let zone = context.zone
    let orders = batch.indices.map { batch[$0] }.filter { isShown($0.symbol) }
    lines += orders.map { StyledLine(TradingText.line($0, zone: zone)) }
    events.add(orders.count)
  }

  func show(_ batch: Span<Fill>) {
    if mode == .full {
      state.take(batch)
      events.add(batch.count)
      return stir()
    }
    let zone = context.zone
    let fills = batch.indices.map { batch[$0] }.filter { isShown($0.symbol) }
    lines += fills.map { StyledLine(TradingText.line($0, zone: zone)) }
    events.add(fills.count)
  }

  func show(_ batch: Span<Position>) {
    if mode == .full {
      state.take(batch)
      events.add(batch.count)
      return stir()
    }
    guard mode == .plain else { return }
    let zone = context.zone
    let positions = batch.indices.map { batch[$0] }.filter { isShown($0.symbol) }
    lines += positions.map { StyledLine(TradingText.line($0, zone: zone)) }
    events.add(positions.count)
  }

  func show(_ batch: Span<AccountState>) {
    if mode == .full {
      state.take(batch)
      events.add(batch.count)
      return stir()
    }
    guard mode == .plain else { return }
    let zone = context.zone
    lines += batch.indices.map { StyledLine(TradingText.line(batch[$0], zone: zone)) }
    events.add(batch.count)
  }
}
