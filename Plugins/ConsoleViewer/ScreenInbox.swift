internal import StockbusPlugin
internal import StockbusTerminal
internal import StockbusViewing
internal import Synchronization

/// Events that wait to be applied to the state. Any thread may add some, which wakes the drawing task.
final class ScreenInbox: Sendable {
  enum Item: Sendable {
    case terminal(ScreenInput)
    case reply(String, isError: Bool)
    case rules(String, [WatchedRule])
    case preview(Int, String, isError: Bool)
    case fills([Fill]?)
    case page(String?)
    case past(PastRequest, PastAnswer)
  }

  private let items = Mutex<[Item]>([])
  private let bell: Parker

  /// The limit holds when a key is held down while the terminal is stopped.
  static let limit = 4096

  init(waking bell: Parker) { self.bell = bell }

  func add(_ item: Item) {
    items.withLock { if $0.count < Self.limit { $0.append(item) } }
    bell.wake()
  }

  var isEmpty: Bool { items.withLock { $0.isEmpty } }

  func takeAll() -> [Item] {
    items.withLock { items in
      defer { items = [] }
      return items
    }
  }
}
