internal import MarketData

/// A range of one of the lists of `MessageRules`.
struct Slice: BitwiseCopyable {
  var first: Int32 = 0
  var count: Int32 = 0

  @inline(__always) var range: Range<Int> { Int(first)..<Int(first &+ count) }
}

/// A compiled path.
struct CompiledPath: BitwiseCopyable {
  /// The start of the path: the item, the whole message, none (there is no such path), or, from 0 on, a remembered value.
  var root: Int32
  var steps = Slice()

  static let item: Int32 = -1
  static let message: Int32 = -2
  static let nothing: Int32 = -3
  /// The key of the item, if `each` iterates over an object.
  static let key: Int32 = -4
  /// The whole message, for the items of a list: resolved once per message and stored under the index in `steps.first`.
  static let resolved: Int32 = -5

  static let none = CompiledPath(root: nothing)
  @inline(__always) var isNone: Bool { root == Self.nothing }
}

/// A compiled pattern.
struct CompiledPattern: BitwiseCopyable {
  enum Form: UInt8, BitwiseCopyable { case anything, object, list, exact, pieces }
  var form: Form
  var isNegated: Bool
  /// For `exact` the single text, for `pieces` the texts between the asterisks.
  var texts = Slice()
}

struct CompiledCondition: BitwiseCopyable {
  var path: CompiledPath
  var patterns: Slice
}

/// A venue's word for a side.
struct CompiledSide: BitwiseCopyable {
  var text: Int32
  var side: Side
}

/// A value to be remembered for later messages.
struct CompiledMemory: BitwiseCopyable {
  var slot: Int32
  var path: CompiledPath
}

struct CompiledSequence: BitwiseCopyable {
  var path = CompiledPath.none
  var step = SequenceRule.Step.next
  var isPerSymbol = true
  /// True if the items of a list share one number of the message, which then counts once.
  var isShared = false
  var series: Int32 = -1
  /// True if the number is passed on with its event, and whoever fills the holes finds them.
  var isFilled = false
}

/// A compiled message rule without references; its parts are in the lists of `MessageRules`.
struct CompiledRule: BitwiseCopyable {
  var role = MessageRole.other
  /// The index in `EventKind.allCases`; -1 if the message becomes no event.
  var event: Int8 = -1
  var isSigned = false
  /// The least number of nodes below an item of a list that can become an event; 0 if every item must be examined.
  var fewestNodes: Int32 = 0
  var conditions = Slice()
  var only = Slice()
  /// The part of `only` that is the same for all items.
  var onlyOnce = Slice()
  /// The paths from the message's root that its items use.
  var constants = Slice()
  var each = Slice()
  var symbol = CompiledPath.none
  var time = CompiledPath.none
  var side = CompiledPath.none
  var condition = CompiledPath.none
  /// The length of its bars, and its path.
  var length = BarLength.unknown
  var lengthPath = CompiledPath.none
  /// The index of the rule's condition table in the book.
  var conditionTable: Int32 = 0
  /// The paths of the price; of bid and ask; of open, high, low and close.
  var prices = Slice()
  /// The paths of the size; of bid size and ask size; of the volume.
  var sizes = Slice()
  /// The divisors of prices and sizes.
  var priceScale: UInt64 = 1
  var sizeScale: UInt64 = 1
  /// Nanoseconds per unit of time; 0 for ISO-8601.
  var timeUnit: UInt64 = 1
  var shift: Int64 = 0
  var sides = Slice()
  var sequence = CompiledSequence()
  var rememberedID = CompiledPath.none
  var remembered = Slice()
  var text = Slice()
}

/// The names of an event's prices and sizes, in the order of a rule's paths.
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
