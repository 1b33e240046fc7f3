internal import MarketData

/// Decides the kind of a message. Unsafe inside: the book's lists and the tape's nodes are accessed by pointer.
extension MessageReader {
  /// Handles one message, which is the whole text or an item of a list of messages.
  @inline(__always)
  mutating func unit(_ root: Int, _ body: (borrowing DecodedValues) -> Void) -> MessageOutcome {
    if !book.recall.isNone { recall(root) }
    if book.sequence.series >= 0 { countStream(root) }
    var scope = root
    if !book.unwrap.isNone {
      let inner = walk(book.unwrap, root, root)
      if inner >= 0 { scope = inner }
    }
    var fallback = -1
    for index in 0..<book.rules.count where fits(book.rules[index].conditions, scope, root) {
      let event = book.rules[index].event
      if event >= 0, event != wanted {
        if fallback < 0 { fallback = index }
        continue
      }
      // A kind with wanted events takes precedence over one that would be ignored.
      if fallback >= 0, event < 0 { continue }
      tally.kinds[index].count &+= 1
      return event >= 0 ? data(index, scope, root, body) : talk(index, scope, root)
    }
    if fallback >= 0 {
      tally.kinds[fallback].count &+= 1
      return .other(kind: book.names[fallback])
    }
    return unknown(scope, root)
  }

  @inline(never)
  private mutating func unknown(_ scope: Int, _ root: Int) -> MessageOutcome {
    // A text that the spec ignores may also be JSON, such as a number.
    if root == 0 {
      let text = TextualMessage(UnsafeBufferPointer(start: tape.text, count: tape.count))
      if isIgnored(text) { return passOver(text) }
    }
    eventless += 1
    guard eventless <= Self.reportLimit else {
      tally.addUnlisted()
      return .unknown(shape: "…")
    }
    let shape = MessageShape.of(scope, in: tape)
    tally.add(shape: shape)
    return .unknown(shape: shape)
  }

  @inline(never)
  private mutating func recall(_ root: Int) {
    let node = walk(book.recall, root, root)
    recalled = node >= 0 && !tape.nodes[node].isContainer ? memory.place(tape.bytes(node)) : -1
  }

  @inline(never)
  private mutating func countStream(_ root: Int) {
    let node = walk(book.sequence.path, root, root)
    // A message without a number, such as an acknowledgement, is not counted.
    guard node >= 0, let number = wholeNumber(node), let expected = sequences.take(number, book.sequence, place: 0) else { return }
    gap(book.sequence, nil, expected, number)
  }

  @inline(never)
  mutating func gap(_ rule: CompiledSequence, _ symbol: Symbol?, _ expected: Int64, _ got: Int64) {
    tally.gaps += 1
    let stream = book.series[Int(rule.series)] + (symbol.map { " \($0)" } ?? "")
    gaps.append(SequenceGap(stream: stream, expected: expected, got: got))
  }

  /// Handles a message without events of the wanted type.
  @inline(never)
  private mutating func talk(_ index: Int, _ scope: Int, _ root: Int) -> MessageOutcome {
    let rule = book.rules[index]
    let kind = book.names[index]
    if !rule.rememberedID.isNone { _ = remember(rule, scope, root) }
    switch rule.role {
    case .acknowledgement: return .acknowledgement(kind: kind)
    case .authenticated: return .authenticated(kind: kind)
    case .heartbeat: return .heartbeat(kind: kind)
    case .other, .correction, .data: return .other(kind: kind)
    case .error:
      eventless += 1
      if eventless > Self.reportLimit { return .refusal(kind: kind, text: "…") }
      for path in rule.text.range {
        let node = walk(book.paths[path], scope, root)
        if node >= 0, tape.nodes[node].kind != .null { return .refusal(kind: kind, text: tape.string(node)) }
      }
      return .refusal(kind: kind, text: tape.string(root))
    }
  }

  /// Remembers values of a message for later ones. Returns the place of its id; -1 if there is no id that can be stored.
  mutating func remember(_ rule: CompiledRule, _ scope: Int, _ root: Int) -> Int {
    let id = walk(rule.rememberedID, scope, root)
    guard id >= 0, !tape.nodes[id].isContainer else { return -1 }
    let place = memory.make(tape.bytes(id))
    if place < 0 { return -1 }
    for index in rule.remembered.range {
      let node = walk(book.memories[index].path, scope, root)
      if node >= 0, !tape.nodes[node].isContainer { memory.set(place, Int(book.memories[index].slot), bytes(node)) }
    }
    return place
  }

  /// The node to which a path leads; -1 if there is none, and for remembered values, which are not in the message.
  @inline(__always)
  func walk(_ path: CompiledPath, _ item: Int, _ root: Int) -> Int {
    if path.root > CompiledPath.item { return -1 }
    if path.root <= CompiledPath.nothing { return known(path) }
    var node = path.root == CompiledPath.item ? item : root
    var at = Int(path.steps.first)
    let end = at &+ Int(path.steps.count)
    while at < end, node >= 0 {
      let step = book.steps[at]
      node = step.count >= 0 ? tape.member(node, step) : tape.item(node, step.index)
      at &+= 1
    }
    return node
  }

  /// Paths that need no walk: the item's key, and paths that have been resolved for all items.
  @inline(__always)
  private func known(_ path: CompiledPath) -> Int {
    if path.root == CompiledPath.resolved { return book.resolved[Int(path.steps.first)] }
    return path.root == CompiledPath.key ? key : -1
  }

  /// The text of a node without escapes; valid until the next call.
  @inline(__always)
  mutating func bytes(_ node: Int) -> UnsafeBufferPointer<UInt8> { tape.nodes[node].hasEscapes ? unescaped(node) : tape.bytes(node) }

  @inline(never)
  private mutating func unescaped(_ node: Int) -> UnsafeBufferPointer<UInt8> {
    scratch.clear()
    tape.count(Int(tape.nodes[node].count))
    JSONEscapes.resolve(tape.bytes(node), into: &scratch)
    return scratch.withBytes { $0 }
  }

  /// A remembered value; valid until the next call.
  @inline(never)
  mutating func remembered(_ path: CompiledPath) -> UnsafeBufferPointer<UInt8> {
    scratch.clear()
    tape.count(1)
    if recalled >= 0 { memory.value(recalled, Int(path.root)).withUnsafeBufferPointer { scratch.append($0) } }
    return scratch.withBytes { $0 }
  }

  // MARK: - Conditions

  @inline(__always)
  mutating func fits(_ conditions: Slice, _ item: Int, _ root: Int) -> Bool {
    for index in conditions.range where !fits(book.conditions[index], item, root) { return false }
    return true
  }

  @inline(__always)
  private mutating func fits(_ condition: CompiledCondition, _ item: Int, _ root: Int) -> Bool {
    tape.count(1)
    let isRemembered = condition.path.root > CompiledPath.item
    let node = isRemembered ? -1 : walk(condition.path, item, root)
    let said = isRemembered ? remembered(condition.path) : nil
    for index in condition.patterns.range {
      let pattern = book.patterns[index]
      let holds = said.map { fits(pattern, $0) } ?? (node >= 0 && fits(pattern, node))
      if holds != pattern.isNegated { return true }
    }
    return false
  }

  @inline(__always)
  private mutating func fits(_ pattern: CompiledPattern, _ node: Int) -> Bool {
    switch pattern.form {
    case .anything: return true
    case .object: return tape.nodes[node].kind == .object
    case .list: return tape.nodes[node].kind == .array
    case .exact:
      // An escape sequence is up to six times as long as its character.
      if tape.nodes[node].isContainer || Int(tape.nodes[node].count) > 6 * book.texts[Int(pattern.texts.first)].count { return false }
      return Self.equals(bytes(node), book.texts[Int(pattern.texts.first)])
    case .pieces: return !tape.nodes[node].isContainer && matches(pattern, bytes(node))
    }
  }

  @inline(never)
  private func fits(_ pattern: CompiledPattern, _ said: UnsafeBufferPointer<UInt8>) -> Bool {
    switch pattern.form {
    case .anything: !said.isEmpty
    case .object, .list: false
    case .exact: said.elementsEqual(text(Int(pattern.texts.first)))
    case .pieces: matches(pattern, said)
    }
  }

  @inline(__always)
  static func equals(_ bytes: UnsafeBufferPointer<UInt8>, _ text: PathStep) -> Bool {
    guard bytes.count == text.count, let start = bytes.baseAddress else { return bytes.count == text.count }
    var i = 0
    while i < text.count {
      if start[i] != text.bytes[i] { return false }
      i &+= 1
    }
    return true
  }

  func text(_ index: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: book.texts[index].bytes, count: book.texts[index].count)
  }

  /// Matches a text with asterisks: the first piece at the beginning, the last at the end, the others between them in order.
  @inline(never)
  private func matches(_ pattern: CompiledPattern, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let pieces = pattern.texts.range.map { text($0) }
    guard let first = pieces.first, let last = pieces.last, bytes.count >= first.count + last.count, bytes.starts(with: first),
      bytes.suffix(last.count).elementsEqual(last)
    else { return false }
    var at = first.count
    let end = bytes.count - last.count
    for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
      guard at + piece.count <= end,
        let found = (at...(end - piece.count)).first(where: {
          UnsafeBufferPointer(rebasing: bytes[$0..<($0 + piece.count)]).elementsEqual(piece)
        })
      else { return false }
      at = found + piece.count
    }
    return true
  }
}
