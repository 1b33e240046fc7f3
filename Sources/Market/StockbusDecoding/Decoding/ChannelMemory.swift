internal import MarketData

/// Values that earlier messages have given for an id, such as the channel and symbol of a subscription.
struct ChannelMemory: ~Copyable {
  /// The most ids of a connection; a further one replaces the oldest.
  static let limit = 10_000
  /// The most bytes of an id or a value; longer ones are not stored. Names of channels and symbols are far shorter.
  static let lengthLimit = 256

  private let slots: Int
  /// The place in the table by the hash of the id. If two ids have the same hash, the later one is found by linear search.
  private var places: [UInt64: Int] = [:]
  private var ids: [[UInt8]] = []
  private var values: [[UInt8]] = []
  private var oldest = 0
  /// Seeded with a secret, because ids come from outside.
  private let hash = NameHash()

  init(slots: Int) { self.slots = slots }

  mutating func forget() { self = ChannelMemory(slots: slots) }

  /// The place of an id; -1 if it is unknown.
  func place(_ id: UnsafeBufferPointer<UInt8>) -> Int {
    if id.count > Self.lengthLimit { return -1 }
    if let place = places[hash(id)], ids[place].elementsEqual(id) { return place }
    return ids.count > places.count ? ids.firstIndex { $0.elementsEqual(id) } ?? -1 : -1
  }

  /// The value, or empty if the message had no such value.
  func value(_ place: Int, _ slot: Int) -> [UInt8] { values[place * slots + slot] }

  /// A place for an id's values, which are cleared; -1 if the id is too long.
  mutating func make(_ id: UnsafeBufferPointer<UInt8>) -> Int {
    if id.count > Self.lengthLimit { return -1 }
    var place = place(id)
    if place < 0, ids.count < Self.limit {
      place = ids.count
      ids.append(Array(id))
      values += [[UInt8]](repeating: [], count: slots)
    } else if place < 0 {
      place = oldest
      oldest = (oldest + 1) % Self.limit
      let hash = ids[place].withUnsafeBufferPointer { self.hash($0) }
      if places[hash] == place { places[hash] = nil }
      ids[place] = Array(id)
    }
    let hash = hash(id)
    if places[hash] == nil { places[hash] = place }
    for slot in 0..<slots { values[place * slots + slot] = [] }
    return place
  }

  /// Stores a value, unless it is too long.
  mutating func set(_ place: Int, _ slot: Int, _ value: UnsafeBufferPointer<UInt8>) {
    if value.count <= Self.lengthLimit { values[place * slots + slot] = Array(value) }
  }
}
