internal import StockbusPacking
internal import StockbusPlugin

/// The packed events of a conversation in frames: those sent to the program, and those that it sends.
struct FramedEvents {
  /// The most events of one frame to the program.
  static let most = 256

  /// The columns of the component's output; none if the program packs events without columns.
  private let columns: ColumnLayout
  private var packer: EventPacker?
  /// An `EventUnpacker` of the output's type.
  private var unpacker: AnyObject?

  init(columns: ColumnLayout = ColumnLayout()) { self.columns = columns }

  /// Writes a frame with the next events, and their columns if there are any; `sent` becomes the number of the last one.
  mutating func give<E: Event>(
    _ events: Span<E>, _ columns: BatchColumns?, from next: inout Int, sent: inout Int, to out: inout ByteWriter
  ) {
    let frame = Frame.begin(.events, in: &out)
    let number = out.count
    Frame.put(last: 0, in: &out)
    if packer == nil { packer = EventPacker(PackedLayout(E.self), columns: columns?.layout ?? ColumnLayout()) }
    let part = next..<min(next + Self.most, events.count)
    let rows = columns?.rows(part) ?? []
    let taken = packer?.pack(events.extracting(part), rows: rows.span, from: 0, most: Self.most, to: &out) ?? 0
    sent += taken
    next += taken
    Frame.put(last: sent, at: number, in: &out)
    Frame.end(frame, in: &out)
  }

  /// Sends the events of a frame's content; returns their number.
  mutating func take<E: Event>(
    _ content: UnsafeBufferPointer<UInt8>, into output: inout Outlet<E>, _ intake: SymbolIntake
  ) throws(ProgramError) -> Int {
    if unpacker == nil { unpacker = EventUnpacker<E>(PackedLayout(E.self), intake, limit: intake.limit, columns: columns) }
    guard let unpacker = unpacker as? EventUnpacker<E> else { preconditionFailure("a component has one output") }
    if content.count < Frame.numberSize { throw ProgramError("sends events without a sequence number") }
    do throws(PackingError) {
      return try unpacker.unpack(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(content)[Frame.numberSize...]), into: &output)
    } catch { throw ProgramError("sends bad packed events of \(E.eventName): \(error)") }
  }
}
