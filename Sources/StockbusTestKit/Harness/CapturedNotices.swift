public import EventBus
public import MarketData
public import StockbusPlugin

/// What a component has posted for the whole run, kept for a test to look at.
public final class CapturedNotices: NoticePublisher {
  /// In the order of arrival; a test may wait for what it expects.
  public let letters = Watched<[DeadLetter]>([])
  public let connections = Watched<[ConnectionStatus]>([])
  public let gaps = Watched<[Gap]>([])

  public let rejected = RejectedSymbols()

  public init() {}

  public func post(_ letter: DeadLetter) { letters.update { $0.append(letter) } }
  public func post(_ status: ConnectionStatus) { connections.update { $0.append(status) } }
  public func post(_ gap: Gap) { gaps.update { $0.append(gap) } }
}
