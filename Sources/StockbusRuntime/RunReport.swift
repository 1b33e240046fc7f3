/// How a run ended.
public struct RunReport: Sendable {
  /// How one component ended.
  public struct Fate: Sendable, Hashable {
    public enum Outcome: Sendable, Hashable {
      /// It ended by itself, or was drained.
      case completed
      /// The reader of its output was gone.
      case unread
      /// It failed more often than its policy allows; with the last error.
      case failed(String)
      /// It was cut off, by a second stop request or by the deadline.
      case cancelled
    }
    public let id: String
    /// How many instances were started.
    public let lives: Int
    public let outcome: Outcome

    /// `1 attempt`, `6 attempts`.
    public var attempts: String { "\(Ledger.grouped(lives)) \(lives == 1 ? "attempt" : "attempts")" }
  }

  public let fates: [Fate]
  public let ledger: Ledger
  /// Components that had not ended when the drain deadline passed.
  public let late: [String]
  /// How many events the sources have sent.
  public var events = 0
  /// The duration of the run by its own clock.
  public var duration = Duration.zero

  /// 0 if all components ended properly, the ledger balances and nothing was lost; otherwise 1.
  public var exitStatus: Int32 {
    let isSound = fates.allSatisfy { $0.outcome == .completed || $0.outcome == .unread }
    return isSound && late.isEmpty && ledger.isBalanced && ledger.lost == 0 ? 0 : 1
  }
}
