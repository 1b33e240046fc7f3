internal import StockbusPlugin
internal import Synchronization

/// Computes hashes of passwords one at a time, on a separate thread: several at once would take the machine's memory and processors.
actor PasswordHasher {
  private let executor = BlockingExecutor(label: "passwords")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let cost: PasswordCost
  private let waiting = Mutex(0)
  /// A hash of no password, so that an unknown name takes as long as a known one.
  private var nobody: PasswordHash?
  /// The most passwords that wait; at 0.2 s each the wait is at most a few seconds.
  static let queue = 16

  init(_ cost: PasswordCost) { self.cost = cost }

  /// The text to be stored. Throws `AccountError.busy`.
  nonisolated func hash(_ password: String) async throws -> String { try await queued { try await self.make(password) } }

  /// True if the password is that of the stored text; false without a text, after the same time. Throws `AccountError.busy`.
  nonisolated func matches(_ password: String, _ stored: String?) async throws -> Bool {
    try await queued { try await self.check(password, stored) }
  }

  /// Does the work if not too much waits already.
  nonisolated func queued<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
    let hasRoom = waiting.withLock { count in
      if count >= Self.queue { return false }
      count += 1
      return true
    }
    guard hasRoom else { throw AccountError.busy }
    defer { waiting.withLock { $0 -= 1 } }
    return try await work()
  }

  private func make(_ password: String) throws -> String {
    try checkCancellation()
    return try PasswordHash(of: password, cost).text
  }

  /// A stopping server does not wait for the passwords in this queue.
  private func checkCancellation() throws { if Task.isCancelled { throw AccountError.busy } }

  private func check(_ password: String, _ stored: String?) throws -> Bool {
    try checkCancellation()
    if let stored, let hash = PasswordHash(text: stored) { return try hash.matches(password) }
    let nobody = try nobody ?? PasswordHash(of: "", cost)
    self.nobody = nobody
    _ = try nobody.matches(password)
    return false
  }
}
