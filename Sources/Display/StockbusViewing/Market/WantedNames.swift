/// Requested names, up to a limit. Beyond the limit the oldest name is removed, so that a client with many requests does not block the
/// others.
struct WantedNames {
  private static let limit = 20_000
  private var names: Set<String> = []
  /// In the order in which they are forgotten, from `next` on.
  private var inTurn: [String] = []
  private var next = 0

  var isEmpty: Bool { names.isEmpty }

  mutating func insert(_ name: String) {
    guard names.insert(name).inserted else { return }
    if inTurn.count < Self.limit { return inTurn.append(name) }
    names.remove(inTurn[next])
    inTurn[next] = name
    next = (next + 1) % Self.limit
  }

  /// Removes a name; returns true if it was present.
  mutating func remove(_ name: String) -> Bool { names.remove(name) != nil }
}
