internal import MarketData

/// A stretch of one of the lists of `RuleBook`.
struct Slice: BitwiseCopyable {
  var first: Int32 = 0
  var count: Int32 = 0

  @inline(__always) var range: Range<Int> { Int(first)..<Int(first &+ count) }
}

/// A path, ready to be walked.
struct CompiledPath: BitwiseCopyable {
  /// Where it begins: at the item, at the whole message, nowhere (there is no such path), or from 0 on at a remembered value.
  var root: Int32
  var steps = Slice()

  static let item: Int32 = -1
  static let message: Int32 = -2
  static let nothing: Int32 = -3
  /// The key of the item, where an object is gone through.
  static let key: Int32 = -4
  /// At the whole message, where a list's items want it: resolved once a message, and found by the number in `steps.first`.
  static let resolved: Int32 = -5

  static let none = CompiledPath(root: nothing)
  @inline(__always) var isNone: Bool { root == Self.nothing }
}

/// A pattern, ready to be compared.
struct CompiledPattern: BitwiseCopyable {
  enum Form: UInt8, BitwiseCopyable { case anything, object, list, exact, pieces }
  var form: Form
  var isNegated: Bool
  /// For `exact` the one text, for `pieces` those around the stars.
  var texts = Slice()
}

struct CompiledCondition: BitwiseCopyable {
  var path: CompiledPath
  var patterns: Slice
}

/// A word for a side.
struct CompiledSide: BitwiseCopyable {
  var text: Int32
  var side: Side
}

/// A value to keep for later messages.
struct CompiledMemory: BitwiseCopyable {
  var slot: Int32
  var path: CompiledPath
}

struct CompiledSequence: BitwiseCopyable {
  var path = CompiledPath.none
  var step = SequenceRule.Step.next
  var isPerSymbol = true
  /// True where a list's items share a number of the message, which counts once then.
  var isShared = false
  var series: Int32 = -1
}

/// A message rule without references: what it needs stands in the lists of `RuleBook`.
struct CompiledRule: BitwiseCopyable {
  var role = MessageRole.other
  /// The index in `EventKind.allCases`; -1 where it becomes no event.
  var event: Int8 = -1
  var isSigned = false
  /// The nodes below an item of a list without which it is no event; 0 where every item has to be looked at.
  var fewestNodes: Int32 = 0
  var conditions = Slice()
  var only = Slice()
  /// Those of `only` that are the same for all items.
  var onlyOnce = Slice()
  /// The paths from the message's root that its items want.
  var constants = Slice()
  var each = Slice()
  var symbol = CompiledPath.none
  var time = CompiledPath.none
  var side = CompiledPath.none
  /// Price; bid and ask; open, high, low and close.
  var prices = Slice()
  /// Size; bid size and ask size; volume.
  var sizes = Slice()
  /// What prices and sizes are divided by.
  var priceScale: UInt64 = 1
  var sizeScale: UInt64 = 1
  /// Nanoseconds; 0 for ISO-8601.
  var timeUnit: UInt64 = 1
  var shift: Int64 = 0
  var sides = Slice()
  var sequence = CompiledSequence()
  var rememberedID = CompiledPath.none
  var remembered = Slice()
  var text = Slice()
}

/// The names of an event's prices and sizes, in the order of a rule's.
enum EventFields {
  static func prices(_ kind: EventKind) -> [String] {
    switch kind {
    case .trade: ["price"]
    case .quote: ["bid", "ask"]
    case .bar: ["open", "high", "low", "close"]
    }
  }
  static func sizes(_ kind: EventKind) -> [String] {
    switch kind {
    case .trade: ["size"]
    case .quote: ["bid_size", "ask_size"]
    case .bar: ["volume"]
    }
  }
}
