/// `CSI <prefix> numbers <intermediate> final`, according to ECMA-48.
struct ControlSequence {
  private var prefix: UInt8?
  private var numbers: [Int] = []
  private var intermediate: UInt8?
  private var final: UInt8 = 0
  /// The number of bytes after the `[`.
  private(set) var length = 0

  /// Parses the bytes after `ESC [`; nil if the sequence is incomplete.
  static func read(_ bytes: ArraySlice<UInt8>) -> ControlSequence? {
    var sequence = ControlSequence()
    var number: Int?
    for byte in bytes {
      sequence.length += 1
      switch byte {
      case 0x30...0x39: number = min(99_999, (number ?? 0) * 10 + Int(byte - 0x30))
      case 0x3a, 0x3b:
        sequence.numbers.append(number ?? 0)
        number = nil
      case 0x3c...0x3f: sequence.prefix = byte
      case 0x20...0x2f: sequence.intermediate = byte
      // The Linux console's F1 to F5: `ESC [ [ A`.
      case 0x5b where sequence.length == 1: sequence.prefix = byte
      case 0x40...0x7e:
        if let number { sequence.numbers.append(number) }
        sequence.final = byte
        return sequence
      default:
        // Not part of any sequence: the sequence ends here, incomplete.
        sequence.length -= 1
        return sequence
      }
    }
    return nil
  }

  /// The event that the sequence represents; nil if it is not used here.
  var event: InputEvent? {
    switch (prefix, intermediate, final) {
    case (0x3c, nil, UInt8(ascii: "M")), (0x3c, nil, UInt8(ascii: "m")): return mouse.map { .mouse($0) }
    case (0x3f, UInt8(ascii: "$"), UInt8(ascii: "y")):
      return numbers.count == 2 ? .mode(numbers[0], setting: numbers[1]) : nil
    case (0x5b, nil, 0x41...0x45): return .key(KeyPress(.function(Int(final) - 0x40)))
    case (nil, nil, _): return press.map { .key($0) }
    default: return nil
    }
  }

  private var press: KeyPress? {
    let modifiers = Self.modifiers(numbers.count > 1 ? numbers[1] : 1)
    switch final {
    case UInt8(ascii: "Z"): return KeyPress(.tab, .shift)
    case UInt8(ascii: "~"): return numbers.first.flatMap(Self.key(number:)).map { KeyPress($0, modifiers) }
    // Keys by code point (xterm's modifyOtherKeys, kitty).
    case UInt8(ascii: "u"):
      guard let code = numbers.first else { return nil }
      switch code {
      case 13: return KeyPress(.enter, modifiers)
      case 27: return KeyPress(.escape, modifiers)
      case 9: return KeyPress(.tab, modifiers)
      case 127: return KeyPress(.backspace, modifiers)
      case 0x20..<0x7f, 0xa0...:
        return UnicodeScalar(code).map { KeyPress(.character(Character($0)), modifiers.subtracting(.shift)) }
      default: return nil
      }
    default: return Self.key(final).map { KeyPress($0, modifiers) }
    }
  }

  private var mouse: MouseEvent? {
    guard numbers.count == 3, numbers[1] > 0, numbers[2] > 0 else { return nil }
    let (code, column, row) = (numbers[0], numbers[1] - 1, numbers[2] - 1)
    var modifiers: KeyModifiers = []
    if code & 4 != 0 { modifiers.insert(.shift) }
    if code & 8 != 0 { modifiers.insert(.alt) }
    if code & 16 != 0 { modifiers.insert(.control) }
    // Mouse moves are ignored.
    if code & 32 != 0 { return nil }
    let action: MouseEvent.Action
    switch (code & 64 != 0, code & 3, final) {
    case (true, 0, _): action = .wheelUp
    case (true, 1, _): action = .wheelDown
    case (true, _, _): return nil
    case (false, _, UInt8(ascii: "m")): action = .release
    case (false, let button, _): action = .press(button)
    }
    return MouseEvent(action, row: row, column: column, modifiers: modifiers)
  }

  private static func modifiers(_ code: Int) -> KeyModifiers { KeyModifiers(rawValue: UInt8((max(1, code) - 1) & 7)) }

  static func key(_ final: UInt8) -> Key? {
    switch final {
    case UInt8(ascii: "A"): .up
    case UInt8(ascii: "B"): .down
    case UInt8(ascii: "C"): .right
    case UInt8(ascii: "D"): .left
    case UInt8(ascii: "H"): .home
    case UInt8(ascii: "F"): .end
    case UInt8(ascii: "M"): .enter
    case UInt8(ascii: "P"): .function(1)
    case UInt8(ascii: "Q"): .function(2)
    case UInt8(ascii: "R"): .function(3)
    case UInt8(ascii: "S"): .function(4)
    default: nil
    }
  }

  private static func key(number: Int) -> Key? {
    switch number {
    case 1, 7: .home
    case 2: .insert
    case 3: .delete
    case 4, 8: .end
    case 5: .pageUp
    case 6: .pageDown
    case 11...15: .function(number - 10)
    case 17...21: .function(number - 11)
    case 23...26: .function(number - 12)
    case 28, 29: .function(number - 13)
    case 31...34: .function(number - 14)
    default: nil
    }
  }
}
