/// Names that are asked for, up to a limit. Beyond it the oldest one is forgotten, so that whoever asks for many keeps no others from being
/// remembered.
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

  /// True if it was there.
  mutating func remove(_ name: String) -> Bool { names.remove(name) != nil }
}
