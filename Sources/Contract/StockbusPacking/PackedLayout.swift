package import EventBus
internal import MarketData

/// How events of one type are packed: the steps from a record of bytes to an event in memory and back, without generics.
///
/// Unsafe, because it reads and writes fields at their offsets, which come from the event's declaration. Unchecked because it points to
/// memory that is written in `init` only.
package final class PackedLayout: @unchecked Sendable {
  enum Form: UInt8, BitwiseCopyable {
    /// A symbol's number in the table of names.
    case symbol
    /// Eight bytes: a number in billionths, a time in nanoseconds, a whole number.
    case word
    /// Four bytes.
    case half
    /// The raw value of a choice.
    case choice
    /// The number of decimals of the event's numbers.
    case decimals
    /// A text of the event.
    case text
    /// A value that is written as its text.
    case other
  }

  struct Step: BitwiseCopyable {
    let form: Form
    let offset: Int
    /// The field's place in the declaration.
    let field: Int
    /// The index of the choice's table in `choices`.
    let choice: Int
  }

  let steps: UnsafeBufferPointer<Step>
  /// The bytes of each record; nil if the sizes of records differ.
  let size: Int?
  /// For each choice, 256 raw values by byte in memory, then 256 bytes in memory by raw value; `none` marks a value that is not a case.
  let choices: UnsafeBufferPointer<UInt16>
  static let none: UInt16 = 0x100

  let names: [String]
  /// Functions of the fields of the form `other`; nil for all other fields.
  let write: [(@Sendable (UnsafeRawPointer, inout ByteWriter) -> Void)?]
  let read: [(@Sendable (UnsafeMutableRawPointer, UnsafeBufferPointer<UInt8>) -> TextError?)?]

  package init<E: Event>(_: E.Type) {
    var (steps, choices) = ([Step](), [UInt16]())
    var decimals: [Int] = []
    for (place, field) in E.schema.fields.enumerated() {
      var (form, choice) = (Form.other, 0)
      switch field.layout {
      case .symbol: form = .symbol
      case .fixedPoint, .time, .int64: form = .word
      case .uint32: form = .half
      case .text: form = .text
      case .other:
        if let type = field.type as? any FieldChoice.Type, let bytes = Self.bytes(of: type) {
          (form, choice) = (.choice, choices.count)
          choices += bytes
        }
      }
      steps.append(Step(form: form, offset: field.offset, field: place, choice: choice))
      if let offset = field.decimalsOffset, !decimals.contains(offset) { decimals.append(offset) }
    }
    for offset in decimals { steps.append(Step(form: .decimals, offset: offset, field: 0, choice: 0)) }
    let widths = steps.map { Self.width($0.form) }
    size = widths.contains(nil) ? nil : widths.reduce(0) { $0 + ($1 ?? 0) }
    names = E.schema.fields.map(\.name)
    write = E.schema.fields.map { field in { at, out in field.writeText(at, to: &out) } }
    read = E.schema.fields.map { field in { at, bytes in field.readText(at, from: bytes) } }
    let stepCopy = UnsafeMutableBufferPointer<Step>.allocate(capacity: steps.count)
    _ = stepCopy.initialize(from: steps)
    self.steps = UnsafeBufferPointer(stepCopy)
    let choiceCopy = UnsafeMutableBufferPointer<UInt16>.allocate(capacity: choices.count)
    _ = choiceCopy.initialize(from: choices)
    self.choices = UnsafeBufferPointer(choiceCopy)
  }

  deinit {
    steps.deallocate()
    choices.deallocate()
  }

  /// The bytes of a part of a record; nil if their number differs.
  private static func width(_ form: Form) -> Int? {
    switch form {
    case .symbol, .half: 4
    case .word: 8
    case .choice, .decimals: 1
    case .text, .other: nil
    }
  }

  /// Nil if a case takes more than a byte in memory.
  private static func bytes<Choice: FieldChoice>(of _: Choice.Type) -> [UInt16]? {
    guard MemoryLayout<Choice>.size == 1 else { return nil }
    var bytes = [UInt16](repeating: none, count: 512)
    for choice in Choice.allCases {
      let inMemory = withUnsafeBytes(of: choice) { $0[0] }
      bytes[Int(inMemory)] = UInt16(choice.rawValue)
      bytes[256 + Int(choice.rawValue)] = UInt16(inMemory)
    }
    return bytes
  }
}
