public import MarketData

/// The latest value of every symbol, used by `initial`, `old` and conflation.
///
/// Finding a value takes two loads. Memory grows with the number of symbols and is not released.
public struct LatestBySymbol<Value> {
  /// The index in `values` by symbol handle; -1 if there is none.
  private var places: [Int32] = []
  /// In the order of first appearance.
  public private(set) var values: ContiguousArray<Value> = []

  public init() {}

  public subscript(symbol: Symbol) -> Value? {
    let id = Int(symbol.id)
    guard id < places.count, places[id] >= 0 else { return nil }
    return values[Int(places[id])]
  }

  /// Sets the symbol's value and returns the one before.
  @discardableResult
  public mutating func update(_ value: Value, for symbol: Symbol) -> Value? {
    let id = Int(symbol.id)
    places.grow(toHold: id, filling: -1)
    let place = Int(places[id])
    if place >= 0 {
      let old = values[place]
      values[place] = value
      return old
    }
    places[id] = Int32(values.count)
    values.append(value)
    return nil
  }
}
