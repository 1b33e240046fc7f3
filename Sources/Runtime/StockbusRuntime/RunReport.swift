/// How a run has ended.
public struct RunReport: Sendable {
  /// The end of one component, or of several with the same name.
  package struct Fate: Sendable, Hashable {
    package enum Outcome: Sendable, Hashable {
      /// The component ended by itself, or was drained.
      case completed
      /// The reader of the component's output has closed it.
      case unread
      /// The component failed more often than its policy allows; with the last error.
      case failed(String)
      /// The component was cut off, by a second stop request or by the deadline.
      case cancelled

      /// True if both outcomes are of the same kind, with any error.
      func isLike(_ other: Outcome) -> Bool {
        if case .failed = self, case .failed = other { return true }
        return self == other
      }
    }
    package let id: String
    /// How many instances were started.
    package var lives: Int
    package var outcome: Outcome
    /// How many components of this name have had this outcome, one after another; `lives` is the sum of all, `outcome` is that of the last
    /// one. More than one only after changes of the run.
    package var components = 1

    /// `1 attempt`, `6 attempts`.
    package var attempts: String { "\(Ledger.grouped(lives)) \(lives == 1 ? "attempt" : "attempts")" }
  }

  /// A source that gave no event; see `Pipeline.emptySources`.
  package struct EmptySource: Sendable, Hashable {
    package let id: String
    /// The number of pieces of input that the source has rejected.
    package let deadLetters: Int
    /// Why it has rejected the first of them; nil if there is none.
    package let firstReason: String?
    /// Why the source was never connected; nil if it was, or if it connects to nothing.
    package let obstacle: String?
  }

  package let fates: [Fate]
  package let ledger: Ledger
  /// Components that had not ended when the drain deadline passed.
  package let late: [String]
  /// Sources that gave nothing, which is no success of a program's run; `exitStatus` ignores them, because an embedding program can judge
  /// that better.
  package var emptySources: [EmptySource] = []
  /// How many events the sources have sent.
  public package(set) var events = 0
  /// The duration of the run by its own clock.
  public package(set) var duration = Duration.zero

  /// 0 if all components ended properly, the ledger balances and nothing was lost; otherwise 1.
  public var exitStatus: Int32 {
    let isSound = fates.allSatisfy { $0.outcome == .completed || $0.outcome == .unread }
    return isSound && late.isEmpty && ledger.isBalanced && ledger.lost == 0 ? 0 : 1
  }
}
