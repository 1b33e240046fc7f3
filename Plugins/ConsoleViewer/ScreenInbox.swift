internal import StockbusPlugin
internal import StockbusTerminal
internal import Synchronization

/// What waits to be taken into the state; filled from any thread, and whoever draws is woken.
final class ScreenInbox: Sendable {
  enum Item: Sendable {
    case terminal(ScreenInput)
    case reply(String, isError: Bool)
    case rules(String, String)
  }

  private let items = Mutex<[Item]>([])
  private let bell: Parker

  /// Somebody who holds a key down while the terminal is stopped fills it no further.
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
