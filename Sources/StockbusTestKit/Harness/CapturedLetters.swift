public import EventBus
public import StockbusPlugin

/// Dead letters, kept for a test to look at.
public final class CapturedLetters: DeadLetterOffice {
  private let captured = Watched<[DeadLetter]>([])

  public init() {}

  public func post(_ letter: DeadLetter) { captured.update { $0.append(letter) } }

  /// In the order of arrival.
  public var letters: [DeadLetter] { captured.value }
}
