internal import Synchronization
internal import StockbusPlugin

/// A queue as the end of a run sees it, whatever its notices are.
protocol ClosableNotices: Sendable {
  var readers: Set<String> { get }
  var isClosed: Bool { get }
  func close()
}

/// Collects the notices of all components on one topic of the run, counts them, and publishes them.
///
/// `post` never waits. If more is posted than is read, the oldest 4,096 notices wait and the others are only counted.
final class NoticeQueue<E: Event>: ClosableNotices {
  private struct State {
    var waiting: [E] = []
    var counts: [String: Int] = [:]
    var unpublished = 0
    var tooLate = 0
    var isClosed = false
    var readers: Set<String>
  }

  let topic: Topic<E>
  private let state: Mutex<State>
  private let parker = Parker()
  private let stop = StopToken()

  init(_ name: RunTopic, readers: Set<String>) {
    state = Mutex(State(readers: readers))
    topic = Topic(name.rawValue, capacity: 1024)
  }

  /// Components that read the topic directly or indirectly. Their notices are only counted, because a notice about a notice could cause
  /// another one.
  var readers: Set<String> {
    get { state.withLock { $0.readers } }
    set { state.withLock { $0.readers = newValue } }
  }

  /// Returns how many notices this component has posted.
  @discardableResult
  func post(_ notice: E, by component: String) -> Int {
    let count = state.withLock { state in
      let count = state.counts[component, default: 0] + 1
      state.counts[component] = count
      if state.readers.contains(component) { return count }
      if state.isClosed {
        state.tooLate += 1
      } else if state.waiting.count >= noticeLimit {
        state.unpublished += 1
      } else {
        state.waiting.append(notice)
      }
      return count
    }
    parker.wake()
    return count
  }

  /// The number of notices by component.
  var counts: [String: Int] { state.withLock { $0.counts } }
  /// Notices that were counted but not published, because too many waited.
  var unpublished: Int { state.withLock { $0.unpublished } }
  /// Notices that were counted but not published, because the topic was closed.
  var tooLate: Int { state.withLock { $0.tooLate } }
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Publishes posted notices, until `close`.
  func run() async {
    var outlet = Outlet(topic, stop: stop)
    while !stop.isCutOff {
      let (notices, isClosed) = state.withLock { state in
        defer { state.waiting.removeAll() }
        return (state.waiting, state.isClosed)
      }
      for notice in notices { outlet.send(notice) }
      do { try await outlet.flush() } catch { break }
      if notices.isEmpty {
        if isClosed { break }
        await parker.sleep()
      }
    }
    topic.close()
  }

  /// Ends publishing once all posted notices are published.
  func close() {
    state.withLock { $0.isClosed = true }
    parker.wake()
  }

  /// Ends `run` at once.
  func cutOff() {
    close()
    stop.cutOff()
    parker.wake()
    topic.producer.wake()
  }
}

/// The most notices of a topic that may wait for publication.
let noticeLimit = 4096
