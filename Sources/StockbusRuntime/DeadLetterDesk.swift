internal import EventBus
internal import Logging
internal import Synchronization
internal import StockbusConfig
internal import StockbusPlugin

/// Collects the dead letters of all components: counts them, logs the first of each component, and publishes them on one topic.
///
/// `post` never waits; where letters come faster than they are read, the oldest 4,096 wait and the rest is only counted.
final class DeadLetterDesk: DeadLetterOffice {
  private struct State {
    var waiting: [DeadLetter] = []
    var counts: [String: Int] = [:]
    var unpublished = 0
    var isClosed = false
  }

  static let limit = 4096
  /// How many letters of one component are logged in full.
  static let logged = 5

  let topic: Topic<DeadLetter>
  /// Components that read the letters: theirs are only counted, or a letter about a letter would make the next.
  private let readers: Set<String>
  private let logger: Logger
  private let state = Mutex(State())
  private let parker = Parker()

  init(logger: Logger, readers: Set<String>) {
    self.logger = logger
    self.readers = readers
    topic = Topic(Topology.deadLetters, capacity: 1024)
  }

  func post(_ letter: DeadLetter) {
    let count = state.withLock { state in
      let count = state.counts[letter.component, default: 0] + 1
      state.counts[letter.component] = count
      if readers.contains(letter.component) { return count }
      if state.isClosed || state.waiting.count >= Self.limit {
        state.unpublished += 1
      } else {
        state.waiting.append(letter)
      }
      return count
    }
    if count <= Self.logged {
      let more = count == Self.logged ? " (further ones are only counted)" : ""
      logger.warning("\(letter.component): set aside: \(letter.origin): \(letter.reason): \(letter.payload)\(more)")
    }
    parker.wake()
  }

  /// Letters by component.
  var counts: [String: Int] { state.withLock { $0.counts } }
  /// Letters that were counted but not published, because too many came at once or too late.
  var unpublished: Int { state.withLock { $0.unpublished } }

  /// Publishes what is posted, until `close`.
  func run() async {
    var outlet = Outlet(topic)
    while true {
      let (letters, isClosed) = state.withLock { state in
        defer { state.waiting.removeAll() }
        return (state.waiting, state.isClosed)
      }
      for letter in letters { outlet.send(letter) }
      do { try await outlet.flush() } catch { break }
      if letters.isEmpty {
        if isClosed { break }
        await parker.sleep()
      }
    }
    topic.close()
  }

  /// No more letters will be published.
  func close() {
    state.withLock { $0.isClosed = true }
    parker.wake()
  }

  /// Ends `run` at once.
  func release() {
    close()
    parker.release()
    topic.producer.release()
  }
}
