package import EventBus
internal import MarketData

/// Events of one type as rows of a table: a column for each field, and one for each column beside the events.
///
/// Prices, sizes and percentages are `decimal(9)`; symbols, choices and texts are texts, as is what no 64-bit number holds, such as the exact
/// turnover of a bar. With `decimals` there is also a column for each number of decimals that the event keeps (`price_decimals`), so that
/// events read back are the same to the last digit written.
///
/// Unsafe, because it reads fields at their offsets, which come from the event's declaration.
package final class EventTable<E: Event> {
  package let batch: TableBatch
  private let steps: [Step]
  private let choices: [ChoiceTexts]
  private let fields: [Field<E>]
  private let row: [(place: Int, column: Int)]
  /// By column. Unchecked, as other values that are touched for each event: a check takes longer than the value.
  @exclusivity(unchecked) private var known: [KnownNumbers]
  @exclusivity(unchecked) private var text = ByteWriter(capacity: 256)
  /// The bytes of the texts of the batch, without symbols and choices.
  @exclusivity(unchecked) private var textBytes = 0

  /// The bytes of the texts of a batch, after which it is full and the texts of its columns begin anew.
  private static var textLimit: Int { 1 << 20 }

  /// Nil if a field does not exist.
  /// - Parameters:
  ///   - fields: names of fields and of columns, in this order; by default all.
  ///   - capacity: the most events of a batch.
  package init?(fields chosen: [String]? = nil, columns: ColumnLayout = ColumnLayout(), decimals: Bool = false, capacity: Int) {
    let all = E.schema.fields
    var (steps, table, row): ([Step], [TableColumn], [(place: Int, column: Int)]) = ([], [], [])
    var choices: [ChoiceTexts] = []
    for name in chosen ?? all.map(\.name) + columns.names {
      guard let number = all.firstIndex(where: { $0.name == name }) else {
        guard let place = columns.place(of: name) else { return nil }
        row.append((place, table.count))
        table.append(TableColumn(name, ColumnType(columns.columns[place].kind), isOptional: true))
        continue
      }
      let field = all[number]
      var (step, type) = (Step(form: .other, offset: field.offset, column: table.count, field: number), ColumnType.text)
      switch field.layout {
      case .symbol: step.form = .symbol
      case .fixedPoint: (step.form, type) = (.word, .price)
      case .time: (step.form, type) = (.word, .timestamp)
      case .int64: (step.form, type) = (.word, .integer)
      case .uint32: (step.form, type) = (.half, .integer)
      case .text: step.form = .text
      case .other:
        if field.kind == .choice, let texts = (field.type as? any FieldChoice.Type).flatMap({ ChoiceTexts($0) }) {
          (step.form, step.choice) = (.choice, choices.count)
          choices.append(texts)
        }
      }
      steps.append(step)
      table.append(TableColumn(name, type))
    }
    if decimals {
      var seen: Set<Int> = []
      for step in steps where step.form == .word {
        let field = all[step.field]
        guard let offset = field.decimalsOffset, seen.insert(offset).inserted else { continue }
        steps.append(Step(form: .decimals, offset: offset, column: table.count))
        table.append(TableColumn(field.name + "_decimals", .integer))
      }
    }
    guard let schema = try? TableSchema(table) else { return nil }
    batch = TableBatch(schema, capacity: capacity)
    known = Array(repeating: KnownNumbers(), count: table.count)
    (fields, self.steps, self.choices, self.row) = (all, steps, choices, row)
  }

  package var schema: TableSchema { batch.schema }

  /// Adds an event to the batch, which must not be full.
  /// - Parameter row: the columns beside it, in the order of their layout; empty if there are none.
  package func add(_ event: E, row: [Int64] = []) { withUnsafePointer(to: event) { add(at: $0, row: row) } }

  /// Adds the event at an address, which is not copied.
  package func add(at event: UnsafePointer<E>, row: [Int64]) {
    add(UnsafeRawPointer(event))
    for (place, column) in self.row where place < row.count && row[place] != ColumnLayout.missing { batch.set(column, row[place]) }
    batch.endRow()
  }

  /// Adds events from `next` on, until there is no room for more of them, or none is left.
  /// - Parameter columns: those beside the events of the span.
  package func add(_ events: Span<E>, from next: inout Int, columns: BatchColumns?) {
    var row: [Int64] = []
    // By pointer, since a call that takes the event copies it.
    events.withUnsafeBufferPointer { events in
      guard let base = events.baseAddress else { return }
      while next < events.count, !isFull {
        columns?.copyRow(next, to: &row)
        add(at: base + next, row: row)
        next += 1
      }
    }
  }

  /// True if the batch has its most rows, or texts enough: it is to be written before another event comes.
  package var isFull: Bool { batch.isFull || textBytes > Self.textLimit }

  private func add(_ event: UnsafeRawPointer) {
    for step in steps {
      let at = event + step.offset
      switch step.form {
      case .word: batch.set(step.column, at.loadUnaligned(as: Int64.self))
      case .half: batch.set(step.column, Int64(at.loadUnaligned(as: UInt32.self)))
      case .decimals: batch.set(step.column, Int64(at.load(as: UInt8.self)))
      case .symbol:
        let symbol = at.load(as: Symbol.self)
        if let number = known[step.column].number(of: Int(symbol.id)) {
          batch.set(step.column, number)
        } else {
          learn(Int(symbol.id), step.column, batch.dictionary(step.column).number(of: UnsafeRawBufferPointer(symbol.utf8)))
        }
      case .choice:
        let byte = Int(at.load(as: UInt8.self))
        if let number = known[step.column].number(of: byte) {
          batch.set(step.column, number)
        } else {
          learn(byte, step.column, batch.dictionary(step.column).number(of: choices[step.choice].texts[byte]))
        }
      case .text:
        let text = at.assumingMemoryBound(to: String.self).pointee
        textBytes &+= text.utf8.count
        batch.set(step.column, batch.dictionary(step.column).number(of: text))
      case .other:
        text.clear()
        fields[step.field].writeText(at, to: &text)
        textBytes &+= text.count
        text.withBytes { batch.set(step.column, batch.dictionary(step.column).number(of: UnsafeRawBufferPointer($0))) }
      }
    }
  }

  @inline(never)
  private func learn(_ handle: Int, _ column: Int, _ number: Int64) {
    known[column].learn(handle, number)
    batch.set(column, number)
  }

  private func forgetTexts(_ column: Int) {
    batch.dictionary(column).removeAll()
    known[column].forget()
  }

  /// Removes the rows and all texts, after they were written: the next batch can then be read without those before it.
  package func beginAnew() {
    batch.removeAll()
    for column in batch.schema.columns.indices where batch.schema.columns[column].type == .text { forgetTexts(column) }
    textBytes = 0
  }

  /// Removes the rows, after they were written. Texts begin anew where there are many: those of messages hardly come twice.
  package func clear() {
    batch.removeAll()
    textBytes = 0
    for step in steps where batch.schema.columns[step.column].type == .text {
      if batch.dictionary(step.column).byteCount > Self.textLimit { forgetTexts(step.column) }
    }
  }
}

/// How a value comes from an event into a column.
private struct Step {
  enum Form { case word, half, decimals, symbol, choice, text, other }
  var form: Form
  let offset: Int
  let column: Int
  /// The place of the field, and the index of its texts in `choices`.
  var field = 0
  var choice = 0
}

/// The texts of a choice by its byte in memory.
private struct ChoiceTexts {
  var texts = [String](repeating: "", count: 256)

  /// Nil if a case takes more than a byte in memory.
  init?<Choice: FieldChoice>(_: Choice.Type) {
    if MemoryLayout<Choice>.size != 1 { return nil }
    for choice in Choice.allCases { texts[Int(withUnsafeBytes(of: choice) { $0[0] })] = choice.fieldName }
  }
}

/// The numbers of a column's texts by small numbers that stand for them, so that no text is looked up for each event.
private struct KnownNumbers {
  /// -1 for none.
  private var numbers: [Int32] = []

  @inline(__always)
  func number(of handle: Int) -> Int64? {
    guard handle < numbers.count, case let number = numbers[handle], number >= 0 else { return nil }
    return Int64(number)
  }

  mutating func learn(_ handle: Int, _ number: Int64) {
    let missing = handle + 1 - numbers.count
    if missing > 0 { numbers.append(contentsOf: repeatElement(-1, count: max(missing, numbers.count))) }
    numbers[handle] = Int32(number)
  }

  /// Called when numbers get another meaning.
  mutating func forget() { numbers.removeAll(keepingCapacity: true) }
}

extension ColumnType {
  fileprivate init(_ kind: ColumnKind) {
    switch kind {
    case .number, .percent: self = .price
    case .duration: self = .duration
    case .time: self = .timestamp
    case .flag: self = .flag
    }
  }
}
