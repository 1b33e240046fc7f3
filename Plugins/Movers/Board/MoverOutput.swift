internal import EventBus
internal import MarketData

/// Where a board sends what has changed; an outlet, or an array in a test.
protocol MoverOutput: ~Copyable {
  mutating func send(_ event: Mover)
  /// Counts an event that has changed no list.
  mutating func filter(_ n: Int)
}

extension Outlet: MoverOutput where E == Mover {}
