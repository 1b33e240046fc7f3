public import StockbusPlugin

/// Captures the notices that a component posts for the whole run.
public final class CapturedNotices: NoticePublisher {
  /// In order of arrival; a test may wait for an expected value.
  public let letters = Watched<[DeadLetter]>([])
  public let connections = Watched<[ConnectionStatus]>([])
  public let gaps = Watched<[Gap]>([])

  package let rejected = RejectedSymbols()

  public init() {}

  public func post(_ letter: DeadLetter) { letters.update { $0.append(letter) } }
  public func post(_ status: ConnectionStatus) { connections.update { $0.append(status) } }
  public func post(_ gap: Gap) { gaps.update { $0.append(gap) } }
}
