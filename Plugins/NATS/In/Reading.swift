internal import EventBus
internal import MarketData
internal import StockbusNetwork
internal import StockbusPacking
internal import StockbusPlugin

/// Makes events of messages, and finds what is missing between them.
struct Reading<E: Event> {
  /// Why a message gives no event.
  struct Refusal: Error {
    let reason: String
    /// Nothing more may be read, because each further name would stay in the symbol table.
    var isLast = false
  }

  /// How many subjects are watched for gaps.
  static var subjectLimit: Int { 65_536 }

  private let mark = EventMark(E.self)
  private var symbols: SymbolTally
  /// The place that is expected next on each subject.
  private var places: [String: Int64] = [:]
  /// The position that is expected next, where the whole stream is read.
  private var position: Int64?
  private let isWhole: Bool

  /// - Parameter isWhole: no message of the stream is left out on purpose.
  init(symbolLimit: Int, isWhole: Bool) {
    symbols = SymbolTally(limit: symbolLimit)
    self.isWhole = isWhole
  }

  /// The event of a message.
  mutating func event(of message: NATSMessage) throws(Refusal) -> E {
    let wanted = mark.text
    // Nil if there is no such header, which others than stockbus leave out.
    let isForeign = message.withHeader("Stockbus-Event") { !$0.elementsEqual(wanted.utf8) }
    if isForeign == true {
      let found = message.headers?.value("Stockbus-Event") ?? ""
      throw Refusal(reason: "it holds '\(visible(found, limit: 128))', and this reads '\(wanted)'")
    }
    let event: E
    do {
      event = try message.withPayload { bytes throws(TextError) in
        var text = ByteReader(bytes)
        let event = try E.schema.decodeJSON(&text)
        try text.expectEnd()
        return event
      }
    } catch { throw Refusal(reason: "\(error)") }
    if !symbols.takes(event) { throw Refusal(reason: "it has brought more than \(symbols.limit) different symbols", isLast: true) }
    return event
  }

  /// A gap before a message.
  struct Missing: Hashable {
    let stream: String
    let expected: Int64
    let got: Int64
  }

  /// What is missing before this message; nil if nothing is, or if it has no position.
  mutating func gap(before message: NATSMessage) -> Missing? {
    guard let read = message.withHeader("Stockbus-Position", { Self.numbers($0) }), let numbers = read else { return nil }
    if isWhole {
      defer { position = numbers.number + 1 }
      guard let position, numbers.number > position else { return nil }
      return Missing(stream: "positions", expected: position, got: numbers.number)
    }
    guard let place = numbers.place else { return nil }
    let subject = message.subject
    defer { if places[subject] != nil || places.count < Self.subjectLimit { places[subject] = place + 1 } }
    guard let expected = places[subject], place > expected else { return nil }
    return Missing(stream: subject, expected: expected, got: place)
  }

  /// The numbers of `WRITER NUMBER [PLACE]`, without a text for the writer; nil if they are malformed.
  private static func numbers(_ bytes: UnsafeBufferPointer<UInt8>) -> (number: Int64, place: Int64?)? {
    var text = ByteReader(bytes)
    while text.at < text.end, text.at.pointee != 32 { text.at += 1 }
    guard text.at < text.end else { return nil }
    text.at += 1
    guard let number = try? text.integer(), number >= 0, number < .max else { return nil }
    if text.isAtEnd { return (number, nil) }
    guard text.peek == 32 else { return nil }
    text.at += 1
    guard let place = try? text.integer(), place >= 0, place < .max, text.isAtEnd else { return nil }
    return (number, place)
  }
}
