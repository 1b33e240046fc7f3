internal import EventBus
internal import MarketData

/// Makes messages of events and knows their positions: one value, so that a batch costs one access to the actor's state.
///
/// Within a batch the events that can be sent are numbered from `base` on, whichever of them were sent before. So after a lost connection
/// the same event has the same position, and the stream's last message shows how many of the batch are stored.
struct Writer<E: Event>: ~Copyable {
  /// The parts of a message that are fixed when its first event is processed.
  private struct Item {
    /// The first event's index in the batch.
    var index: Int
    /// The index of its subject, or the symbol's id.
    var subject: Int
    var place: Int64
    /// For packed events, the first one's place among those of the subject, and their number.
    var first = 0
    var count = 1
  }

  private let template: SubjectTemplate
  private let partitions: Int
  private let ids: EventEncoder<E>?
  /// The columns of the input, and how they are written; nil if there are none.
  private let columns: (batch: BatchColumns, encoder: EventEncoder<E>)?
  private var row: [Int64] = []
  /// The word of this writer.
  let word: String
  private let isPositioned: Bool
  /// The subjects by partition, or the only one.
  private let subjects: [[UInt8]]
  private var symbolSubjects: [Int: [UInt8]] = [:]
  private var symbolPartitions: [UInt16] = []
  /// The unchanging part of the headers.
  private let markHeader: [UInt8]
  /// More than the bytes of all headers.
  private let headerLimit: Int
  /// The position of the next event that is processed for the first time.
  private(set) var next: Int64
  /// The place of the next event on each subject that is known in advance.
  private(set) var places: [Int64]
  /// Events before these places are in the stream already.
  private(set) var known: [Int64]
  /// How many events of the present batch were skipped because the stream has them.
  private(set) var passedOver = 0
  /// Nil if each event is a message.
  private var parcels: Parcels<E>?
  /// The position of the present batch's first item.
  private(set) var base: Int64 = 0
  private var items: [Item] = []
  private var met = 0
  /// The item whose text is in `payload`; -1 if there is none.
  private var written = -1
  /// Events that are too large for a message, with the reason.
  private(set) var refused: [(index: Int, bytes: Int)] = []

  private var headers = ByteWriter(capacity: 512)
  private var payload = ByteWriter(capacity: 1024)

  init(
    _ settings: NATSOutSettings, word: String, next: Int64 = 0, places: [Int64]? = nil, known: [Int64]? = nil,
    reading batch: BatchColumns = BatchColumns()
  ) {
    template = settings.template
    partitions = settings.partitions ?? 1
    ids = settings.ids.flatMap { EventEncoder(fields: $0) }
    self.word = word
    isPositioned = settings.stream != nil && settings.ids == nil
    subjects =
      template.kind == .partition
      ? (0..<partitions).map { Array(settings.template.subject(partition: $0).utf8) } : [Array(settings.subject.utf8)]
    let layout = batch.layout
    columns = layout.isEmpty ? nil : (batch, EventEncoder(columns: layout))
    // Packed events have their columns with them.
    let isNamed = !layout.isEmpty && settings.batch == nil
    let names = isNamed ? "\(MessageColumns.header): \(MessageColumns.text(of: layout))\r\n" : ""
    markHeader = Array("Stockbus-Event: \(EventMark(E.self).text)\r\n\(names)".utf8)
    headerLimit = 1024 + names.utf8.count
    self.next = next
    let empty = [Int64](repeating: 0, count: partitions)
    self.places = places ?? empty
    self.known = known ?? empty
    parcels = settings.batch.map { Parcels(subjects: settings.partitions ?? 1, most: $0, columns: layout) }
  }

  // MARK: A batch

  /// Begins a batch.
  mutating func begin() {
    base = next
    items.removeAll(keepingCapacity: true)
    refused.removeAll(keepingCapacity: true)
    parcels?.removeAll()
    (met, written, passedOver) = (0, -1, 0)
  }

  /// The text of a processed item, if each item is an event.
  mutating func payload(of item: Int, _ events: Span<E>) -> [UInt8] {
    write(items[item], events)
    written = item
    return payload.withBytes { Array($0) }
  }

  /// How many messages the events processed so far have.
  var count: Int { items.count }

  /// How many events at the batch's beginning are settled once `confirmed` of its messages are confirmed.
  func settledEvents(_ confirmed: Int) -> Int {
    guard let parcels else { return confirmed < items.count ? items[confirmed].index : met }
    return min(items[min(confirmed, items.count)...].map(\.index).min() ?? met, parcels.firstLeft ?? met)
  }

  /// Puts messages into `batch` from item `first` on, up to `limit` of them, or fewer if there are no more events. Returns their number.
  ///
  /// - Parameters:
  ///   - sequence: the stream's last number before item `first`; nil to leave it unchecked.
  ///   - reply: the subject for acknowledgements, to which those of `numbers` are appended; nil for none.
  mutating func encode(
    _ events: Span<E>, from first: Int, limit: Int, after sequence: UInt64?, reply: UnsafeBufferPointer<UInt8>? = nil,
    numbers: ReplyNumbers? = nil, largest: Int, into batch: inout NATSBatch
  ) -> Int {
    let reply = reply ?? UnsafeBufferPointer(start: nil, count: 0)
    var done = 0
    while done < limit, batch.count < 1 << 18 {
      guard let item = item(first + done, events, largest) else { break }
      headers.clear()
      headers.append("NATS/1.0\r\n")
      if let sequence {
        headers.append("Nats-Expected-Last-Sequence: ")
        put(Int64(sequence) + Int64(done))
      }
      markHeader.withUnsafeBufferPointer { headers.append($0) }
      if parcels != nil {
        headers.append("Stockbus-Packed: ")
        put(Int64(item.count))
      }
      if isPositioned {
        headers.append("Stockbus-Position: ")
        headers.append(word)
        headers.append(" ")
        headers.reserve(64)
        headers.put(integer: base + Int64(first + done))
        if template.kind != .symbol {
          headers.put(32)
          headers.put(integer: item.place)
        }
        headers.append("\r\n")
      } else if let ids {
        headers.append("Nats-Msg-Id: ")
        ids.encodeCSV(events[item.index], to: &headers)
        headers.append("\r\n")
      }
      headers.append("\r\n")
      if written != first + done {
        write(item, events)
        written = first + done
      }
      headers.withBytes { headers in
        payload.withBytes { payload in
          let number = numbers?[done] ?? -1
          if template.kind == .symbol {
            symbolSubjects[item.subject]?.withUnsafeBufferPointer {
              batch.publish($0, reply: reply, number: number, headers: headers, payload)
            }
          } else {
            subjects[item.subject].withUnsafeBufferPointer { batch.publish($0, reply: reply, number: number, headers: headers, payload) }
          }
        }
      }
      done += 1
    }
    return done
  }

  private mutating func put(_ number: Int64) {
    headers.reserve(32)
    headers.put(integer: number)
    headers.put(13)
    headers.put(10)
  }

  /// Writes an item's text again.
  private mutating func write(_ item: Item, _ events: Span<E>) {
    payload.clear()
    if parcels?.pack(item.subject, from: item.first, item.count, into: &payload) == nil { write(events, item.index) }
  }

  /// Writes an event as JSON, with its columns.
  private mutating func write(_ events: Span<E>, _ index: Int) {
    guard let columns else { return E.schema.encodeJSON(events[index], to: &payload) }
    columns.batch.copyRow(index, to: &row)
    columns.encoder.encodeJSON(events[index], row: row, to: &payload)
  }

  /// The item with this number, after processing events as far as needed; nil if there are no more.
  private mutating func item(_ number: Int, _ events: Span<E>, _ largest: Int) -> Item? {
    let limit = largest - headerLimit
    while number >= items.count {
      guard parcels == nil ? meet(events, limit) : cut(events, limit) else { return nil }
    }
    return items[number]
  }

  /// Makes an item of the next event; false if there is none.
  private mutating func meet(_ events: Span<E>, _ limit: Int) -> Bool {
    guard met < events.count else { return false }
    let event = events[met]
    payload.clear()
    write(events, met)
    written = -1
    if let fault = faultyID(event) ?? (payload.count > limit ? payload.count : nil) {
      refused.append((met, fault))
    } else {
      let subject = subject(of: event)
      written = items.count
      items.append(Item(index: met, subject: subject, place: template.kind == .symbol ? 0 : places[subject]))
      if template.kind != .symbol { places[subject] += 1 }
      next += 1
    }
    met += 1
    return true
  }

  /// Makes an item of the next events of one subject; false if there are none.
  private mutating func cut(_ events: Span<E>, _ limit: Int) -> Bool {
    if met == 0 { sort(events, limit) }
    written = -1
    guard let cut = parcels?.cut(into: &payload, limit: limit) else { return false }
    if cut.count == 0 {
      refused.append((cut.index, payload.count))
    } else {
      written = items.count
      items.append(Item(index: cut.index, subject: cut.subject, place: places[cut.subject], first: cut.first, count: cut.count))
      places[cut.subject] += Int64(cut.count)
      next += 1
    }
    return true
  }

  /// Processes all events, and skips those that the stream has.
  private mutating func sort(_ events: Span<E>, _ limit: Int) {
    met = events.count
    for i in events.indices {
      let subject = subject(of: events[i])
      if places[subject] < known[subject] {
        // An event that is too large has no place, neither now nor in an earlier run.
        if parcels?.size(of: events[i], &payload) ?? 0 > limit {
          refused.append((i, payload.count))
        } else {
          places[subject] += 1
          passedOver += 1
        }
      } else {
        parcels?.add(events[i], at: i, to: subject)
      }
    }
    if let columns { parcels?.addRows(columns.batch) }
  }

  /// -1 if the event's id would break the header's line, or is too long.
  private mutating func faultyID(_ event: E) -> Int? {
    guard let ids else { return nil }
    headers.clear()
    ids.encodeCSV(event, to: &headers)
    let isWhole = headers.withBytes { bytes in bytes.count <= 512 && bytes.allSatisfy { $0 >= 32 && $0 != 127 } }
    return isWhole ? nil : -1
  }

  private mutating func subject(of event: E) -> Int {
    guard template.kind != .fixed, let symbol = E.schema.symbol(of: event) else { return 0 }
    let id = Int(symbol.id)
    if template.kind == .symbol {
      if symbolSubjects[id] == nil { symbolSubjects[id] = Array(template.subject(symbol: symbol.description).utf8) }
      return id
    }
    if id >= symbolPartitions.count { symbolPartitions += Array(repeating: .max, count: id + 1 - symbolPartitions.count) }
    if symbolPartitions[id] == .max { symbolPartitions[id] = UInt16(SubjectTemplate.partition(of: symbol.utf8, among: partitions)) }
    return Int(symbolPartitions[id])
  }

  /// Continues behind the stream's end, before any event is processed: with the next places, or from the beginning, skipping known events.
  mutating func resume(at next: Int64, places: [Int64]? = nil, known: [Int64]? = nil) {
    self.next = next
    base = next
    if let places { self.places = places }
    if let known { self.known = known }
  }
}
