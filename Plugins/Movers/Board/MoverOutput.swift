internal import EventBus
internal import MarketData

/// The receiver of a board's changes; an outlet, or an array in a test.
protocol MoverOutput: ~Copyable {
  mutating func send(_ event: Mover)
  /// Counts an event that has changed no list.
  mutating func filter(_ n: Int)
}

extension Outlet: MoverOutput where E == Mover {}
