internal import StockbusPlugin

/// A compiled spec: flat lists without references, so that deciding on a message does not change reference counts.
///
/// Unsafe inside: the lists are plain memory, freed with the book; indices into them always come from the book itself.
struct MessageRules: ~Copyable {
  let rules: UnsafeMutableBufferPointer<CompiledRule>
  let conditions: UnsafeMutableBufferPointer<CompiledCondition>
  let patterns: UnsafeMutableBufferPointer<CompiledPattern>
  let paths: UnsafeMutableBufferPointer<CompiledPath>
  let steps: UnsafeMutableBufferPointer<PathStep>
  let texts: UnsafeMutableBufferPointer<PathStep>
  let sides: UnsafeMutableBufferPointer<CompiledSide>
  /// True if prices finer than a billionth are rounded.
  let roundsPrices: Bool
  let memories: UnsafeMutableBufferPointer<CompiledMemory>
  /// The paths from the message's root that the items of lists use, and their nodes in the present message.
  let constants: UnsafeMutableBufferPointer<CompiledPath>
  let resolved: UnsafeMutableBufferPointer<Int>
  /// The condition tables of the kinds.
  let conditionTables: [ConditionTable]
  /// The names of the kinds, by rule.
  let names: [String]
  /// The names of the series of sequence numbers, by index.
  let series: [String]
  /// How many values can be remembered per id.
  let memorySlots: Int
  let unwrap: CompiledPath
  let recall: CompiledPath
  let sequence: CompiledSequence
  let splits: Bool
  /// True if only an object with members can be of any kind, or contain a value that the spec refers to.
  let readsObjectsOnly: Bool

  /// `spec` must be complete and without faults; `filled` are series whose numbers are passed on.
  init(_ spec: DecodingSpec, filled: Set<String> = []) {
    var maker = RuleBookMaker()
    maker.filled = filled
    maker.learnNames(spec)
    let rules = (spec.messages?.entries ?? []).map { maker.rule($0.name, $0.value, spec) }
    unwrap = maker.path(spec.unwrap)
    recall = maker.path(spec.recall)
    sequence = maker.sequence(spec.sequence, kind: "messages")
    splits = spec.split ?? false
    let others = [unwrap, recall, sequence.path]
    readsObjectsOnly = others.allSatisfy { $0.isNone || maker.isMember($0) } && rules.allSatisfy { maker.needsMember($0.conditions) }
    names = (spec.messages?.entries ?? []).map(\.name)
    series = maker.series
    conditionTables = maker.conditionTables
    memorySlots = maker.memoryNames.count
    self.rules = Self.keep(rules)
    conditions = Self.keep(maker.conditions)
    patterns = Self.keep(maker.patterns)
    paths = Self.keep(maker.paths)
    steps = Self.keep(maker.steps)
    texts = Self.keep(maker.texts)
    sides = Self.keep(maker.sides)
    roundsPrices = spec.finerPrices == .round
    memories = Self.keep(maker.memories)
    constants = Self.keep(maker.constants)
    resolved = Self.keep(maker.constants.map { _ in -1 })
  }

  deinit {
    for step in steps { step.bytes.deallocate() }
    for text in texts { text.bytes.deallocate() }
    rules.deallocate()
    conditions.deallocate()
    patterns.deallocate()
    paths.deallocate()
    steps.deallocate()
    texts.deallocate()
    sides.deallocate()
    memories.deallocate()
    constants.deallocate()
    resolved.deallocate()
  }

  private static func keep<T>(_ list: [T]) -> UnsafeMutableBufferPointer<T> {
    let kept = UnsafeMutableBufferPointer<T>.allocate(capacity: list.count)
    _ = kept.initialize(from: list)
    return kept
  }
}

/// Builds the lists of a `MessageRules`.
struct RuleBookMaker {
  var conditions: [CompiledCondition] = []
  var patterns: [CompiledPattern] = []
  var paths: [CompiledPath] = []
  var steps: [PathStep] = []
  var texts: [PathStep] = []
  var sides: [CompiledSide] = []
  var memories: [CompiledMemory] = []
  var constants: [CompiledPath] = []
  /// True while a rule with a list is compiled. Values of the whole message that its items use are then resolved once.
  private var hasItems = false
  var series: [String] = []
  var filled: Set<String> = []
  var conditionTables: [ConditionTable] = []
  var memoryNames: [String] = []

  mutating func learnNames(_ spec: DecodingSpec) {
    for rule in spec.messages?.entries ?? [] {
      for entry in rule.value.remember?.entries ?? [] where entry.name != "id" && !memoryNames.contains(entry.name) {
        memoryNames.append(entry.name)
      }
    }
  }

  private static func step(_ text: String, index: Int = 0, isIndex: Bool = false) -> PathStep {
    let utf8 = Array(text.utf8)
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: utf8.count + 8)
    bytes.initialize(repeating: 0, count: utf8.count + 8)
    for (i, byte) in utf8.enumerated() { bytes[i] = byte }
    let mask = ByteWords.mask(utf8.count)
    return PathStep(
      bytes: UnsafePointer(bytes), count: isIndex ? -1 : utf8.count, word: ByteWords.load(UnsafePointer(bytes)) & mask, mask: mask,
      index: index)
  }

  /// The path of a field, or of a condition on items.
  mutating func itemPath(_ path: ValuePath?) -> CompiledPath {
    guard hasItems, let path, path.root == .message else { return self.path(path) }
    constants.append(self.path(path))
    return CompiledPath(root: CompiledPath.resolved, steps: Slice(first: Int32(constants.count - 1), count: 0))
  }

  mutating func path(_ path: ValuePath?) -> CompiledPath {
    guard let path else { return .none }
    let first = Int32(steps.count)
    for step in path.steps {
      switch step {
      case .key(let key): steps.append(Self.step(key))
      case .index(let index): steps.append(Self.step("", index: index, isIndex: true))
      }
    }
    let root: Int32 =
      switch path.root {
      case .item: CompiledPath.item
      case .message: CompiledPath.message
      case .key: CompiledPath.key
      case .remembered(let name): memoryNames.firstIndex(of: name).map { Int32($0) } ?? CompiledPath.nothing
      }
    return CompiledPath(root: root, steps: Slice(first: first, count: Int32(steps.count) - first))
  }

  mutating func list(_ list: [ValuePath?]) -> Slice {
    let compiled = list.map { itemPath($0) }
    let first = Int32(paths.count)
    paths += compiled
    return Slice(first: first, count: Int32(compiled.count))
  }

  /// True if a path begins with a member of the message, or of an item of a list of messages.
  func isMember(_ path: CompiledPath) -> Bool {
    (path.root == CompiledPath.item || path.root == CompiledPath.message) && path.steps.count > 0 && steps[Int(path.steps.first)].count >= 0
  }

  /// True if a path leads into an item.
  private func isInItem(_ path: CompiledPath) -> Bool { path.root == CompiledPath.item && path.steps.count > 0 }

  /// The fewest nodes below an item of a list with all values that an event needs, whatever the rest of the message contains; 0 if every
  /// item must be examined.
  private func fewestNodes(_ rule: CompiledRule) -> Int32 {
    guard hasItems, rule.only.count == 0 else { return 0 }
    let needed = ([rule.symbol, rule.time] + paths[rule.prices.range]).filter { isInItem($0) }.map { steps[Int($0.steps.first)] }
    // The item's sequence number counts even if other values are missing.
    if rule.sequence.series >= 0 { return isInItem(rule.symbol) || isInItem(rule.sequence.path) ? 1 : 0 }
    let keys = Set(needed.filter { $0.count >= 0 }.map { Array(UnsafeBufferPointer(start: $0.bytes, count: $0.count)) })
    let places = needed.filter { $0.count < 0 }.map { $0.index < 0 ? -$0.index : $0.index + 1 }
    return Int32(clamping: max(2 * keys.count, places.max() ?? 0))
  }

  /// True if one of the conditions can only hold for an object with a certain member.
  func needsMember(_ conditions: Slice) -> Bool {
    self.conditions[conditions.range].contains { condition in
      isMember(condition.path) && !patterns[condition.patterns.range].contains(where: \.isNegated)
    }
  }

  private mutating func text(_ text: String) -> Int32 {
    texts.append(Self.step(text))
    return Int32(texts.count - 1)
  }

  private mutating func conditions(
    _ mapping: Mapping<[ValuePattern]>?, where isWanted: (ValuePath.Root) -> Bool = { _ in true }
  ) -> Slice {
    let wanted = (mapping?.entries ?? []).filter { entry in ValuePath(entry.name).map { isWanted($0.root) } ?? true }
    let compiled = wanted.map { entry in
      let first = Int32(patterns.count)
      for pattern in entry.value { patterns.append(ready(pattern)) }
      return CompiledCondition(path: path(ValuePath(entry.name)), patterns: Slice(first: first, count: Int32(entry.value.count)))
    }
    let first = Int32(conditions.count)
    conditions += compiled
    return Slice(first: first, count: Int32(compiled.count))
  }

  private mutating func ready(_ pattern: ValuePattern) -> CompiledPattern {
    switch pattern.form {
    case .anything: return CompiledPattern(form: .anything, isNegated: pattern.isNegated)
    case .object: return CompiledPattern(form: .object, isNegated: pattern.isNegated)
    case .list: return CompiledPattern(form: .list, isNegated: pattern.isNegated)
    case .text(let pieces):
      let first = Int32(texts.count)
      for piece in pieces { _ = text(piece) }
      return CompiledPattern(
        form: pieces.count == 1 ? .exact : .pieces, isNegated: pattern.isNegated,
        texts: Slice(first: first, count: Int32(pieces.count)))
    }
  }

  private static let usualSides: [(String, Side)] = [
    ("buy", .buy), ("sell", .sell), ("BUY", .buy), ("SELL", .sell), ("Buy", .buy), ("Sell", .sell), ("b", .buy), ("s", .sell),
    ("B", .buy), ("S", .sell), ("", .unknown),
  ]

  mutating func sequence(_ rule: SequenceRule?, kind: String) -> CompiledSequence {
    guard let rule else { return CompiledSequence() }
    let name = rule.series ?? kind
    let index = series.firstIndex(of: name) ?? series.count
    if index == series.count { series.append(name) }
    return CompiledSequence(
      path: path(rule.path), step: rule.step, isPerSymbol: rule.per == .symbol, isShared: hasItems && rule.path.root == .message,
      series: Int32(index), isFilled: filled.contains(name))
  }

  mutating func rule(_ name: String, _ rule: MessageRule, _ spec: DecodingSpec) -> CompiledRule {
    var compiled = CompiledRule()
    compiled.role = rule.event != nil ? .data : rule.role ?? .other
    compiled.event = rule.event.flatMap { EventKind.allCases.firstIndex(of: $0) }.map { Int8($0) } ?? -1
    compiled.isSigned = rule.signed ?? false
    compiled.conditions = conditions(rule.when)
    compiled.each = list(rule.each ?? [])
    hasItems = compiled.each.count > 0
    defer { hasItems = false }
    let firstConstant = Int32(constants.count)
    let isOfItem = { (root: ValuePath.Root) in root == .item || root == .key }
    compiled.only = hasItems ? conditions(rule.only, where: isOfItem) : conditions(rule.only)
    compiled.onlyOnce = hasItems ? conditions(rule.only, where: { !isOfItem($0) }) : Slice()
    let fields = rule.fields ?? FieldPaths()
    compiled.symbol = itemPath(fields.symbol)
    compiled.time = itemPath(fields.time)
    compiled.side = itemPath(fields.side)
    compiled.condition = itemPath(fields.condition)
    if !compiled.condition.isNone {
      compiled.conditionTable = Int32(conditionTables.count)
      conditionTables.append(ConditionTable(rule.conditionCodes ?? .words, own: rule.conditions))
    }
    switch rule.event {
    case .quote?:
      compiled.prices = list([fields.bid, fields.ask])
      compiled.sizes = list([fields.bidSize, fields.askSize])
    case .bar?:
      compiled.prices = list([fields.open, fields.high, fields.low, fields.close])
      compiled.sizes = list([fields.volume])
      compiled.length = rule.length ?? .unknown
      compiled.lengthPath = itemPath(fields.length)
    case .trade?, nil:
      compiled.prices = list([fields.price])
      compiled.sizes = list([fields.size])
    }
    compiled.priceScale = UInt64(rule.priceScale ?? spec.priceScale ?? 1)
    compiled.sizeScale = UInt64(rule.sizeScale ?? spec.sizeScale ?? 1)
    compiled.timeUnit = (rule.time ?? spec.time ?? .iso8601).unit ?? 0
    compiled.shift = rule.shift?.wholeNanoseconds ?? 0
    compiled.sides = sideWords(rule.sides)
    compiled.sequence = sequence(rule.sequence, kind: name)
    compiled.constants = Slice(first: firstConstant, count: Int32(constants.count) - firstConstant)
    compiled.fewestNodes = fewestNodes(compiled)
    hasItems = false
    compiled.rememberedID = path(rule.remember?["id"])
    let kept = (rule.remember?.entries ?? []).filter { $0.name != "id" }.map { entry in
      CompiledMemory(slot: Int32(memoryNames.firstIndex(of: entry.name) ?? 0), path: path(entry.value))
    }
    compiled.remembered = Slice(first: Int32(memories.count), count: Int32(kept.count))
    memories += kept
    compiled.text = list(rule.text ?? [])
    return compiled
  }

  private mutating func sideWords(_ words: SideWords?) -> Slice {
    let pairs = words?.pairs ?? Self.usualSides
    let first = Int32(sides.count)
    for (word, side) in pairs { sides.append(CompiledSide(text: text(word), side: side)) }
    return Slice(first: first, count: Int32(pairs.count))
  }
}
