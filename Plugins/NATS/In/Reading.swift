internal import StockbusPacking
internal import StockbusPlugin

/// Makes events of messages, and finds missing messages between them.
struct Reading<E: Event> {
  /// Why a message gives no event.
  struct Refusal: Error {
    let reason: String
    /// True if nothing more may be read, because each further name would stay in the symbol table.
    var isLast = false
  }

  /// How many subjects are watched for gaps.
  static var subjectLimit: Int { 65_536 }

  private let mark = EventMark(E.self)
  private var symbols: SymbolTally
  private let unpacker: EventUnpacker<E>
  /// Reads the columns of JSON messages; nil as long as there are none.
  private var columns: MessageColumns?
  /// The next expected place on each subject.
  private var places: [String: Int64] = [:]
  /// The next expected position, if the whole stream is read.
  private var position: Int64?
  private let isWhole: Bool

  /// - Parameters:
  ///   - isWhole: true if no message of the stream is omitted on purpose.
  ///   - layout: the columns of the output.
  init(_ intake: SymbolIntake, isWhole: Bool, columns layout: ColumnLayout = ColumnLayout()) {
    symbols = SymbolTally(limit: intake.limit)
    unpacker = EventUnpacker(PackedLayout(E.self), intake, limit: intake.limit, columns: layout)
    columns = layout.isEmpty ? nil : MessageColumns(layout)
    self.isWhole = isWhole
  }

  /// Sends the events of a message; returns their number. None are sent if the message is refused. Events sent before must not wait for
  /// room, so flush before packed events.
  mutating func take(_ message: NATSMessage, into output: inout Outlet<E>) throws(Refusal) -> Int {
    let wanted = mark.text
    // Nil if there is no such header, which only stockbus adds.
    let isForeign = message.withHeader("Stockbus-Event") { !$0.elementsEqual(wanted.utf8) }
    if isForeign == true {
      let found = message.headers?.value("Stockbus-Event") ?? ""
      let name = EventMark.name(in: found)
      let hint = name.flatMap { $0 == E.eventName ? nil : "; 'event: \($0)' reads it" } ?? ""
      throw Refusal(reason: "it has '\(visible(found, limit: 128))', but this component reads '\(wanted)'\(hint)")
    }
    if let count = message.packedEvents { return try unpack(message, count ?? -1, into: &output) }
    if columns != nil { return try take(withColumns: message, into: &output) }
    let event: E
    do {
      event = try message.withPayload { bytes throws(TextError) in
        var text = ByteReader(bytes)
        let event = try E.schema.decodeJSON(&text)
        try text.expectEnd()
        return event
      }
    } catch {
      if error.code == .unknownField, message.withHeader(MessageColumns.header, { _ in }) != nil {
        columns = MessageColumns(ColumnLayout())
        return try take(withColumns: message, into: &output)
      }
      throw Refusal(reason: E.schema.explanation(of: error))
    }
    try count(event)
    output.send(event)
    return 1
  }

  private mutating func count(_ event: E) throws(Refusal) {
    if !symbols.takes(event) { throw Refusal(reason: "the source has sent more than \(symbols.limit) different symbols", isLast: true) }
  }

  private mutating func take(withColumns message: NATSMessage, into output: inout Outlet<E>) throws(Refusal) -> Int {
    if let fault = columns?.expect(message) { throw Refusal(reason: fault) }
    let result = message.withPayload { bytes -> Result<E?, TextError> in
      var text = ByteReader(bytes)
      do throws(TextError) {
        let event: E? = try columns?.read(&text)
        try text.expectEnd()
        return .success(event)
      } catch { return .failure(error) }
    }
    switch result {
    case .failure(let error): throw Refusal(reason: E.schema.explanation(of: error, beside: columns?.layout ?? ColumnLayout()))
    case .success(let event):
      guard let event else { return 0 }
      try count(event)
      let (events, row) = ([event], columns?.row ?? [])
      output.send(events.span, rows: row.span)
      return 1
    }
  }

  private func unpack(_ message: NATSMessage, _ count: Int, into output: inout Outlet<E>) throws(Refusal) -> Int {
    let result = message.withPayload { bytes -> Result<Int, PackingError> in
      do throws(PackingError) { return .success(try unpacker.unpack(UnsafeRawBufferPointer(bytes), into: &output)) } catch {
        return .failure(error)
      }
    }
    switch result {
    case .success(let found):
      if found == count { return found }
      output.rollback()
      throw Refusal(reason: "it says that it has \(count) packed events, but it has \(found)")
    case .failure(let error):
      output.rollback()
      throw Refusal(reason: "bad packed events: \(error)")
    }
  }

  /// A gap before a message.
  struct Missing: Hashable {
    let stream: String
    let expected: Int64
    let got: Int64
  }

  /// The number of missing messages before this one; nil if there are none, or if it has no position.
  mutating func gap(before message: NATSMessage) -> Missing? {
    guard let read = message.withHeader("Stockbus-Position", { Self.numbers($0) }), let numbers = read else { return nil }
    if isWhole {
      defer { position = numbers.number + 1 }
      guard let position, numbers.number > position else { return nil }
      return Missing(stream: "positions", expected: position, got: numbers.number)
    }
    guard let place = numbers.place else { return nil }
    let subject = message.subject
    let following = place + Int64(max(1, (message.packedEvents ?? 1) ?? 1))
    defer { if places[subject] != nil || places.count < Self.subjectLimit { places[subject] = following } }
    guard let expected = places[subject], place > expected else { return nil }
    return Missing(stream: subject, expected: expected, got: place)
  }

  /// The numbers of `WRITER NUMBER [PLACE]`, without a text for the writer; nil if they are malformed.
  private static func numbers(_ bytes: UnsafeBufferPointer<UInt8>) -> (number: Int64, place: Int64?)? {
    var text = ByteReader(bytes)
    while text.at < text.end, text.at.pointee != 32 { text.at += 1 }
    guard text.at < text.end else { return nil }
    text.at += 1
    guard let number = try? text.integer(), number >= 0, number < StreamPosition.limit else { return nil }
    if text.isAtEnd { return (number, nil) }
    guard text.peek == 32 else { return nil }
    text.at += 1
    guard let place = try? text.integer(), place >= 0, place < StreamPosition.limit, text.isAtEnd else { return nil }
    return (number, place)
  }
}

extension NATSMessage {
  /// The stated number of packed events; an inner nil if the header is not a number, nil if the events are not packed.
  var packedEvents: Int?? {
    withHeader("Stockbus-Packed") { bytes -> Int? in
      var text = ByteReader(bytes)
      guard let number = try? text.integer(), text.isAtEnd, number > 0, number <= Int64(UInt32.max) else { return nil }
      return Int(number)
    }
  }
}
