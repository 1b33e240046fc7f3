import EventBus
import StockbusTestKit

/// Records what the components of one test have done; also has what they wait for.
final class Journal: Sendable {
  /// The journal of the test; components find it because a run's tasks are children of the test's task.
  @TaskLocal static var current = Journal()

  private let entries = Watched<[String]>([])
  private let received = Watched<[String: [Int64]]>([:])
  /// Where a source continues after a failure.
  let position = Watched<Int64>(1)
  /// The gate at which gated components wait.
  let gate = Gate()

  func note(_ line: String) { entries.update { $0.append(line) } }
  var lines: [String] { entries.value }
  func wait(for line: String) async { await entries.wait { $0.contains(line) } }
  func count(of line: String) -> Int { lines.count { $0 == line } }
  func index(of line: String) -> Int? { lines.firstIndex(of: line) }

  func receive(_ number: Int64, by component: String) { received.update { $0[component, default: []].append(number) } }
  func received(by component: String) -> [Int64] { received.value[component] ?? [] }
  func wait(until component: String, has count: Int) async { await received.wait { $0[component, default: []].count >= count } }
}

/// A gate at which waiting cannot be cancelled, like a system call that hangs.
final class Gate: Sendable {
  private let isOpen = Watched(false)

  func open() { isOpen.update { $0 = true } }

  func pass() async {
    let isOpen = isOpen
    // A task of its own, which the caller's cancellation does not reach.
    await Task { await isOpen.wait { $0 } }.value
  }
}

/// Runs a test with a journal of its own.
func journalled<Result>(_ body: (Journal) async throws -> Result) async rethrows -> Result {
  let journal = Journal()
  return try await Journal.$current.withValue(journal) { try await body(journal) }
}
