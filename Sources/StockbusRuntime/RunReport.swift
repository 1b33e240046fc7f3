/// How a run ended.
public struct RunReport: Sendable {
  /// What became of one component.
  public struct Fate: Sendable, Hashable {
    public enum Outcome: Sendable, Hashable {
      /// It ended by itself, or was drained.
      case completed
      /// Nobody read any more what it wrote.
      case unread
      /// It failed more often than its policy allows; the last error.
      case failed(String)
      /// It was cut off: by a second stop request or the deadline.
      case cancelled
    }
    public let id: String
    /// How often it was started.
    public let lives: Int
    public let outcome: Outcome

    /// `1 attempt`, `6 attempts`.
    public var attempts: String { "\(Ledger.grouped(lives)) \(lives == 1 ? "attempt" : "attempts")" }
  }

  public let fates: [Fate]
  public let ledger: Ledger
  /// Components that had not ended when the drain deadline passed.
  public let late: [String]
  /// Events that the sources have sent.
  public var events = 0
  /// How long it took by the run's clock.
  public var duration = Duration.zero

  /// 0 where everything ended as it should, the ledger balances and nothing was lost, otherwise 1.
  public var exitStatus: Int32 {
    let isSound = fates.allSatisfy { $0.outcome == .completed || $0.outcome == .unread }
    return isSound && late.isEmpty && ledger.isBalanced && ledger.lost == 0 ? 0 : 1
  }
}
