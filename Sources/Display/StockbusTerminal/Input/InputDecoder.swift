/// Decodes bytes from a terminal into keys, mouse events and responses: a state machine without I/O.
///
/// The bytes may be split between reads at any point. The only exception is the Escape key, which is also the first byte of most other
/// keys: only a delay distinguishes them, so call `timeout` when nothing has followed for some 50 ms.
///
/// An Escape before a plain key is the key Escape and then that key, even in one read: most terminals send Alt with a key as the same
/// bytes, and programs between (tmux, a slow line) remove the delay that could distinguish them. Alt is reported only if a sequence states
/// it.
package struct InputDecoder: Sendable {
  private var pending: [UInt8] = []

  package init() {}

  /// True if a sequence has begun and not ended.
  package var isPending: Bool { !pending.isEmpty }

  /// Longer sequences are unknown and are skipped.
  static let limit = 128

  /// Returns the events that are complete.
  package mutating func feed(_ bytes: some Sequence<UInt8>) -> [InputEvent] {
    pending += bytes
    return decode(isFinal: false)
  }

  /// To be called when no more bytes follow the pending ones: a lone Escape is then the key.
  package mutating func timeout() -> [InputEvent] { decode(isFinal: true) }

  private enum Step {
    case event(InputEvent, Int)
    case skip(Int)
    case incomplete
  }

  private mutating func decode(isFinal: Bool) -> [InputEvent] {
    var events: [InputEvent] = []
    var at = 0
    loop: while at < pending.count {
      switch step(pending[at...]) {
      case .event(let event, let count):
        events.append(event)
        at += count
      case .skip(let count): at += count
      case .incomplete:
        if !isFinal, pending.count - at <= Self.limit { break loop }
        if pending[at] == 0x1b { events.append(.key(KeyPress(.escape))) }
        // The rest of an incomplete sequence is not typed input.
        at = pending[at] == 0x1b && pending.count - at == 1 ? at + 1 : pending.count
      }
    }
    pending.removeFirst(at)
    return events
  }

  private func step(_ bytes: ArraySlice<UInt8>) -> Step {
    let first = bytes[bytes.startIndex]
    if first == 0x1b { return escape(bytes.dropFirst()) }
    return character(bytes)
  }

  /// Decodes the bytes after an Escape: a sequence, or a separate key.
  private func escape(_ rest: ArraySlice<UInt8>) -> Step {
    guard let next = rest.first else { return .incomplete }
    let step: Step
    switch next {
    case 0x5b: step = ControlSequence.read(rest.dropFirst()).map { Self.meaning($0) } ?? .incomplete
    case 0x4f: step = shift3(rest.dropFirst())
    default: return .event(.key(KeyPress(.escape)), 1)
    }
    switch step {
    case .event(let event, let count): return .event(event, count + 1)
    case .skip(let count): return .skip(count + 1)
    case .incomplete: return .incomplete
    }
  }

  /// Function keys and arrows of terminals in application mode; counts from the `O`.
  private func shift3(_ rest: ArraySlice<UInt8>) -> Step {
    guard let final = rest.first else { return .incomplete }
    guard let key = ControlSequence.key(final) else {
      // Escape, then a capital O; the caller counts the byte of the Escape.
      return .event(.key(KeyPress(.escape)), 0)
    }
    return .event(.key(KeyPress(key)), 2)
  }

  /// The step for a control sequence; counts from the `[`.
  private static func meaning(_ sequence: ControlSequence) -> Step {
    let count = sequence.length + 1
    return sequence.event.map { .event($0, count) } ?? .skip(count)
  }

  private func character(_ bytes: ArraySlice<UInt8>) -> Step {
    let first = bytes[bytes.startIndex]
    switch first {
    case 0x0d, 0x0a: return .event(.key(KeyPress(.enter)), 1)
    case 0x09: return .event(.key(KeyPress(.tab)), 1)
    case 0x7f, 0x08: return .event(.key(KeyPress(.backspace)), 1)
    case 0: return .event(.key(KeyPress(.character(" "), .control)), 1)
    case 1...26: return .event(.key(KeyPress(.character(Character(UnicodeScalar(first + 96))), .control)), 1)
    case 0x1c..<0x20: return .event(.key(KeyPress(.character(Character(UnicodeScalar(first + 64))), .control)), 1)
    case 0x20..<0x7f: return .event(.key(KeyPress(.character(Character(UnicodeScalar(first))))), 1)
    default: break
    }
    let length =
      switch first {
      case 0xc2...0xdf: 2
      case 0xe0...0xef: 3
      case 0xf0...0xf4: 4
      default: 0
      }
    if length == 0 { return .skip(1) }
    let encoded = bytes.prefix(length)
    if let bad = encoded.dropFirst().firstIndex(where: { $0 & 0xc0 != 0x80 }) { return .skip(bad - bytes.startIndex) }
    if encoded.count < length { return .incomplete }
    guard let text = String(validating: encoded, as: UTF8.self), let character = text.first, text.count == 1 else { return .skip(length) }
    // C1 control characters are not text.
    if let scalar = text.unicodeScalars.first, (0x80..<0xa0).contains(scalar.value) { return .skip(length) }
    return .event(.key(KeyPress(.character(character))), length)
  }
}
