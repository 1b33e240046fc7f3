package import StockbusExpressions
package import StockbusPlugin

extension [PastNeed] {
  /// What functions need.
  package static func all(_ needs: [FunctionNeed]) -> [PastNeed] {
    needs.flatMap { need in
      (need.events > 0 ? [PastNeed(need.function, .events(need.events))] : [])
        + (need.time > 0 ? [PastNeed(need.function, .time(.nanoseconds(need.time)))] : [])
    }
  }
}
