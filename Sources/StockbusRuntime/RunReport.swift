/// How a run ended.
package struct RunReport: Sendable {
  /// How one component ended.
  package struct Fate: Sendable, Hashable {
    package enum Outcome: Sendable, Hashable {
      /// It ended by itself, or was drained.
      case completed
      /// The reader of its output was gone.
      case unread
      /// It failed more often than its policy allows; with the last error.
      case failed(String)
      /// It was cut off, by a second stop request or by the deadline.
      case cancelled
    }
    package let id: String
    /// How many instances were started.
    package let lives: Int
    package let outcome: Outcome

    /// `1 attempt`, `6 attempts`.
    package var attempts: String { "\(Ledger.grouped(lives)) \(lives == 1 ? "attempt" : "attempts")" }
  }

  package let fates: [Fate]
  package let ledger: Ledger
  /// Components that had not ended when the drain deadline passed.
  package let late: [String]
  /// How many events the sources have sent.
  package var events = 0
  /// The duration of the run by its own clock.
  package var duration = Duration.zero

  /// 0 if all components ended properly, the ledger balances and nothing was lost; otherwise 1.
  package var exitStatus: Int32 {
    let isSound = fates.allSatisfy { $0.outcome == .completed || $0.outcome == .unread }
    return isSound && late.isEmpty && ledger.isBalanced && ledger.lost == 0 ? 0 : 1
  }
}
