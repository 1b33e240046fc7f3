internal import MarketData

/// Decodes the events of a message. Unsafe inside: the book's lists and the tape's nodes are accessed by pointer.
extension MessageReader {
  @inline(__always)
  mutating func data(_ index: Int, _ scope: Int, _ root: Int, _ body: (borrowing DecodedValues) -> Void) -> MessageOutcome {
    let rule = book.rules[index]
    if !rule.rememberedID.isNone { rememberAgain(rule, scope, root) }
    var count = 0
    faults.count = 0
    key = -1
    values.series = -1
    values.length = rule.length
    if rule.each.count == 0 {
      item(rule, scope, root, &count, body)
    } else if share(rule, scope, root) {
      items(rule, Int(rule.each.first), scope, root, &count, body)
    }
    tally.events &+= count
    return faults.count == 0 ? .events(count) : flawed(count)
  }

  @inline(never)
  private mutating func rememberAgain(_ rule: CompiledRule, _ scope: Int, _ root: Int) {
    let place = remember(rule, scope, root)
    if place >= 0 { recalled = place }
  }

  /// Handles the values that all items of a list share, once; returns false if they exclude every item.
  @inline(__always)
  private mutating func share(_ rule: CompiledRule, _ scope: Int, _ root: Int) -> Bool {
    for index in rule.constants.range { book.resolved[index] = walk(book.constants[index], scope, root) }
    if rule.sequence.isShared { countShared(rule, scope, root) }
    return rule.onlyOnce.count == 0 || fits(rule.onlyOnce, scope, root)
  }

  /// A number that the items share counts once: here for the connection, and with its first item for a symbol.
  @inline(never)
  private mutating func countShared(_ rule: CompiledRule, _ scope: Int, _ root: Int) {
    shared += 1
    if rule.sequence.isPerSymbol { return }
    do throws(ValueProblem) { try count(rule.sequence, 0, scope, root) } catch { fault(error) }
  }

  @inline(never)
  private mutating func flawed(_ count: Int) -> MessageOutcome {
    tally.malformed &+= 1
    eventless += 1
    let more = faults.count > 1 ? "; and \(faults.count - 1) more items" : ""
    let fault = MessageOutcome.malformed(reason: faults.first + more)
    return count == 0 ? fault : .several([.events(count), fault])
  }

  /// Handles the items of the list at path `level`, or of the lists inside it; for an object, its values with their keys.
  @inline(never)
  private mutating func items(
    _ rule: CompiledRule, _ level: Int, _ outer: Int, _ root: Int, _ count: inout Int, _ body: (borrowing DecodedValues) -> Void
  ) {
    let list = walk(book.paths[level], outer, root)
    guard list >= 0, tape.nodes[list].isContainer else {
      return fault(ValueProblem(field: "each", reason: list < 0 ? .missing : .noList, node: list < 0 ? outer : list))
    }
    let isLast = level == rule.each.range.upperBound - 1
    let isObject = tape.nodes[list].kind == .object
    let end = Int(tape.nodes[list].next)
    var at = list + 1
    while at < end {
      if isObject {
        key = at
        at += 1
      }
      if !isLast, isObject, !tape.nodes[at].isContainer {
        // A number or a text beside the lists of an object, such as the cursor of the next page, has no items.
      } else if !isLast {
        items(rule, level + 1, at, root, &count, body)
      } else if faults.count > 0, Int(tape.nodes[at].next) &- at &- 1 < Int(rule.fewestNodes) {
        // The item has only a few bytes: finding the missing value would take many times as long as decoding as many bytes of events.
        faults.count += 1
      } else {
        item(rule, at, root, &count, body)
      }
      at = Int(tape.nodes[at].next)
    }
  }

  @inline(__always)
  private mutating func item(
    _ rule: CompiledRule, _ node: Int, _ root: Int, _ count: inout Int, _ body: (borrowing DecodedValues) -> Void
  ) {
    if rule.only.count > 0, !fits(rule.only, node, root) {
      if rule.sequence.series >= 0, !rule.sequence.isShared { countLeftOut(rule, node, root) }
      return
    }
    do throws(ValueProblem) {
      try fill(rule, node, root)
      if !rule.lengthPath.isNone { readLength(rule, node, root) }
      body(values)
      count &+= 1
    } catch { fault(error) }
  }

  /// A length that is none, such as a month, leaves that of the rule.
  @inline(never)
  private mutating func readLength(_ rule: CompiledRule, _ item: Int, _ root: Int) {
    let node = walk(rule.lengthPath, item, root)
    let isText = node >= 0 && !tape.nodes[node].isContainer
    values.length = (isText ? BarLength(String(decoding: bytes(node), as: UTF8.self)) : nil) ?? rule.length
  }

  /// Counts the number of an excluded item. If its symbol is unknown, no number can be missing, and no symbol is created.
  @inline(never)
  private mutating func countLeftOut(_ rule: CompiledRule, _ item: Int, _ root: Int) {
    let node = walk(rule.sequence.path, item, root)
    guard node >= 0, let number = wholeNumber(node) else { return }
    var place = 0
    if rule.sequence.isPerSymbol {
      let name = walk(rule.symbol, item, root)
      if rule.symbol.root > CompiledPath.item {
        place = names.known(remembered(rule.symbol))
      } else {
        guard name >= 0, !tape.nodes[name].isContainer, tape.nodes[name].count <= Self.valueLimit else { return }
        place = names.known(bytes(name))
      }
      if place < 0 { return }
    }
    guard let expected = sequences.take(number, rule.sequence, place: place) else { return }
    gap(rule.sequence, rule.sequence.isPerSymbol ? names.symbol(at: place) : nil, expected, number)
  }

  /// A value to which no path leads, with the node where the path begins.
  @inline(never)
  private static func missing(_ field: String, _ path: CompiledPath, _ item: Int, _ root: Int) -> ValueProblem {
    let start = path.root > CompiledPath.item ? -1 : path.root == CompiledPath.item ? item : root
    return ValueProblem(field: field, reason: .missing, node: start)
  }

  @inline(never)
  private mutating func fault(_ problem: ValueProblem) {
    tape.count(16)
    if faults.count == 0 { faults.first = eventless < Self.reportLimit ? problem.description(in: tape) : "…" }
    faults.count += 1
  }

  @inline(__always)
  private mutating func fill(_ rule: CompiledRule, _ node: Int, _ root: Int) throws(ValueProblem) {
    // Rows without a symbol are of the one that was asked for.
    let place = rule.symbol.isNone ? 0 : try symbol(rule.symbol, node, root)
    values.symbol = rule.symbol.isNone ? asked : names.symbol(at: place)
    if rule.sequence.series >= 0, !rule.sequence.isShared || isCounted(rule.sequence, place) {
      try count(rule.sequence, place, node, root)
    }
    values.time = try time(rule, node, root)
    decimals = 0
    values.side = .unknown
    values.condition = rule.condition.isNone ? .regular : try condition(rule, node, root)
    var at = Int(rule.prices.first)
    values.prices.0 = Price(raw: try number(book.paths[at], node, root, fields.prices[0], rule.priceScale, isRequired: true))
    if rule.prices.count > 1 {
      values.prices.1 = Price(raw: try number(book.paths[at + 1], node, root, fields.prices[1], rule.priceScale, isRequired: true))
      if rule.prices.count > 2 {
        values.prices.2 = Price(raw: try number(book.paths[at + 2], node, root, fields.prices[2], rule.priceScale, isRequired: true))
        values.prices.3 = Price(raw: try number(book.paths[at + 3], node, root, fields.prices[3], rule.priceScale, isRequired: true))
      }
    }
    values.priceDecimals = decimals
    decimals = 0
    at = Int(rule.sizes.first)
    var size = try number(book.paths[at], node, root, fields.sizes[0], rule.sizeScale, isRequired: false)
    if rule.isSigned, wanted == 0 {
      values.side = size < 0 ? .sell : size > 0 ? .buy : .unknown
      if size == .min { throw ValueProblem(field: fields.sizes[0], reason: .outOfRange) }
      size = abs(size)
    } else if !rule.side.isNone {
      values.side = try side(rule, node, root)
    }
    if size < 0 { throw ValueProblem(field: fields.sizes[0], reason: .negative, node: walk(book.paths[at], node, root)) }
    values.sizes.0 = Quantity(raw: size)
    if rule.sizes.count > 1 {
      var other = try number(book.paths[at + 1], node, root, fields.sizes[1], rule.sizeScale, isRequired: false)
      if other < 0 {
        // Bitfinex writes the sizes of sellers as negative numbers.
        guard rule.isSigned, other != .min else {
          throw ValueProblem(field: fields.sizes[1], reason: .negative, node: walk(book.paths[at + 1], node, root))
        }
        other = -other
      }
      values.sizes.1 = Quantity(raw: other)
      if isOneSided { clearSides() }
    }
    values.sizeDecimals = decimals
  }

  @inline(__always)
  private mutating func symbol(_ path: CompiledPath, _ item: Int, _ root: Int) throws(ValueProblem) -> Int {
    let node: Int
    let name: UnsafeBufferPointer<UInt8>
    if path.root > CompiledPath.item {
      node = -1
      name = remembered(path)
      if name.isEmpty { throw ValueProblem(field: "symbol", reason: .missing) }
    } else {
      node = walk(path, item, root)
      guard node >= 0 else { throw Self.missing("symbol", path, item, root) }
      if tape.nodes[node].isContainer { throw ValueProblem(field: "symbol", reason: .notAValue, node: node) }
      if tape.nodes[node].kind.rawValue >= JSONNode.Kind.null.rawValue {
        throw ValueProblem(field: "symbol", reason: tape.nodes[node].kind == .null ? .null : .notAText, node: node)
      }
      if tape.nodes[node].count > Self.valueLimit { throw ValueProblem(field: "symbol", reason: .tooLong, node: node) }
      name = bytes(node)
    }
    do throws(TextError) { return try names.place(name) } catch {
      throw ValueProblem(field: "symbol", reason: .symbol(error.code), node: node)
    }
  }

  /// True if a number that items share must be counted with this item: the first one of its symbol. Numbers of the connection have already
  /// been counted.
  @inline(never)
  private mutating func isCounted(_ rule: CompiledSequence, _ place: Int) -> Bool {
    rule.isPerSymbol && sequences.isFirst(of: shared, rule, place: place)
  }

  @inline(__always)
  private mutating func count(_ rule: CompiledSequence, _ place: Int, _ item: Int, _ root: Int) throws(ValueProblem) {
    let node = walk(rule.path, item, root)
    guard node >= 0 else { throw Self.missing("sequence", rule.path, item, root) }
    guard let number = wholeNumber(node) else { throw ValueProblem(field: "sequence", reason: .notANumber, node: node) }
    if rule.isFilled {
      values.number = number
      values.series = rule.series
      return
    }
    guard let expected = sequences.take(number, rule, place: rule.isPerSymbol ? place : 0) else { return }
    gap(rule, rule.isPerSymbol ? values.symbol : nil, expected, number)
  }

  /// The whole number of a node, which may be a text; nil if there is none.
  @inline(__always)
  mutating func wholeNumber(_ node: Int) -> Int64? {
    guard tape.nodes[node].kind == .number || tape.nodes[node].kind == .text, tape.nodes[node].count <= Self.valueLimit else { return nil }
    var reader = ByteReader(bytes(node))
    guard let number = try? reader.integer(), reader.isAtEnd else { return nil }
    return number
  }

  /// A number in billionths; 0 if it is missing and optional. Raises `decimals` to the number of decimals it was written with.
  @inline(__always)
  private mutating func number(
    _ path: CompiledPath, _ item: Int, _ root: Int, _ field: String, _ scale: UInt64, isRequired: Bool
  ) throws(ValueProblem) -> Int64 {
    let node = walk(path, item, root)
    guard node >= 0 else {
      if isRequired { throw Self.missing(field, path, item, root) }
      return 0
    }
    guard tape.nodes[node].kind == .number || tape.nodes[node].kind == .text else {
      let kind = tape.nodes[node].kind
      if kind == .null, mayBeNull(isRequired) { return 0 }
      throw ValueProblem(field: field, reason: kind == .null ? .null : tape.nodes[node].isContainer ? .notAValue : .notANumber, node: node)
    }
    // Numbers that mean "undefined", and those that are too long, have at least nineteen bytes.
    if tape.nodes[node].count > 18, try isUndefined(node, field, isRequired) { return 0 }
    let text = bytes(node)
    if text.isEmpty, !isRequired { return 0 }
    var reader = ByteReader(text)
    var written: UInt8 = 0
    do throws(TextError) {
      let raw = scale == 1 ? try reader.fixedPoint(decimals: &written) : try Self.scaled(&reader, scale, &written)
      try reader.expectEnd()
      if written > decimals { decimals = written }
      return raw
    } catch {
      let reason: ValueProblem.Reason =
        switch error.code {
        case .tooManyDecimals where scale != 1, .outOfRange where scale != 1: .notExact
        case .tooManyDecimals: .tooManyDecimals
        case .outOfRange: .outOfRange
        default: .notANumber
        }
      return try amended(ValueProblem(field: field, reason: reason, node: node), error.code, scale, isRequired: isRequired)
    }
  }

  @inline(__always)
  private mutating func side(_ rule: CompiledRule, _ item: Int, _ root: Int) throws(ValueProblem) -> Side {
    let node = walk(rule.side, item, root)
    guard node >= 0, tape.nodes[node].kind != .null else { return .unknown }
    if tape.nodes[node].count > Self.valueLimit, !tape.nodes[node].isContainer {
      throw ValueProblem(field: "side", reason: .tooLong, node: node)
    }
    if !tape.nodes[node].isContainer {
      let text = bytes(node)
      for index in rule.sides.range where Self.equals(text, book.texts[Int(book.sides[index].text)]) { return book.sides[index].side }
    }
    throw ValueProblem(field: "side", reason: tape.nodes[node].isContainer ? .notAValue : .notASide, node: node)
  }

  /// The condition of a trade, whose codes are a text, a number, or a list of texts and numbers.
  @inline(never)
  private mutating func condition(_ rule: CompiledRule, _ item: Int, _ root: Int) throws(ValueProblem) -> TradeCondition {
    let node = walk(rule.condition, item, root)
    guard node >= 0 else { return .regular }
    if tape.nodes[node].kind != .array { return try condition(rule, at: node) }
    var condition = TradeCondition.regular
    var (at, count) = (node + 1, 0)
    while at < Int(tape.nodes[node].next) {
      count += 1
      if count > Self.conditionLimit { throw ValueProblem(field: "condition", reason: .tooMany(Self.conditionLimit), node: node) }
      condition = condition.combined(with: try self.condition(rule, at: at))
      at = Int(tape.nodes[at].next)
    }
    return condition
  }

  private mutating func condition(_ rule: CompiledRule, at node: Int) throws(ValueProblem) -> TradeCondition {
    switch tape.nodes[node].kind {
    case .null: return .regular
    case .text, .number:
      if tape.nodes[node].count > Self.valueLimit { throw ValueProblem(field: "condition", reason: .tooLong, node: node) }
      guard let condition = book.conditionTables[Int(rule.conditionTable)].condition(of: bytes(node)) else {
        throw ValueProblem(field: "condition", reason: .notACondition, node: node)
      }
      return condition
    default: throw ValueProblem(field: "condition", reason: .notAValue, node: node)
    }
  }

  @inline(__always)
  private mutating func time(_ rule: CompiledRule, _ item: Int, _ root: Int) throws(ValueProblem) -> Timestamp {
    if rule.time.isNone { return values.received }
    let node = walk(rule.time, item, root)
    guard node >= 0 else { throw Self.missing("time", rule.time, item, root) }
    let kind = tape.nodes[node].kind
    guard kind == .number || kind == .text else {
      throw ValueProblem(field: "time", reason: kind == .null ? .null : tape.nodes[node].isContainer ? .notAValue : .notATime, node: node)
    }
    if tape.nodes[node].count > Self.valueLimit { throw ValueProblem(field: "time", reason: .tooLong, node: node) }
    var reader = ByteReader(bytes(node))
    do throws(TextError) {
      let time = rule.timeUnit == 0 ? try reader.iso8601() : try EpochTime.read(&reader, unit: rule.timeUnit)
      try reader.expectEnd()
      let (shifted, overflow) = time.ns.addingReportingOverflow(rule.shift)
      if overflow { throw TextError(.outOfRange, at: 0) }
      return Timestamp(ns: shifted)
    } catch {
      let reason: ValueProblem.Reason =
        switch error.code {
        case .outOfRange: .beyondTime(unit: rule.timeUnit)
        case .tooManyDecimals: .tooFine
        default: .notATime
        }
      throw ValueProblem(field: "time", reason: reason, node: node)
    }
  }
}
