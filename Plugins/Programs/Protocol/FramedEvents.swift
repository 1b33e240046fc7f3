internal import StockbusPacking
internal import StockbusPlugin

/// The packed events of a conversation in frames: those sent to the program, and those that it sends.
struct FramedEvents {
  /// The most events of one frame to the program.
  static let most = 256

  private var packer: EventPacker?
  /// An `EventUnpacker` of the output's type.
  private var unpacker: AnyObject?

  /// Writes a frame with the next events; `sent` becomes the number of the last one.
  mutating func give<E: Event>(_ events: Span<E>, from next: inout Int, sent: inout Int, to out: inout ByteWriter) {
    let frame = Frame.begin(.events, in: &out)
    let number = out.count
    Frame.put(last: 0, in: &out)
    if packer == nil { packer = EventPacker(PackedLayout(E.self)) }
    let taken = packer?.pack(events, from: next, most: Self.most, to: &out) ?? 0
    sent += taken
    next += taken
    Frame.put(last: sent, at: number, in: &out)
    Frame.end(frame, in: &out)
  }

  /// Sends the events of a frame's content; returns their number.
  mutating func take<E: Event>(
    _ content: UnsafeBufferPointer<UInt8>, into output: inout Outlet<E>, _ intake: SymbolIntake
  ) throws(ProgramError) -> Int {
    if unpacker == nil { unpacker = EventUnpacker<E>(PackedLayout(E.self), intake, limit: intake.limit) }
    guard let unpacker = unpacker as? EventUnpacker<E> else { preconditionFailure("a component has one output") }
    if content.count < Frame.numberSize { throw ProgramError("sends events without a sequence number") }
    do throws(PackingError) {
      return try unpacker.unpack(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(content)[Frame.numberSize...]), into: &output)
    } catch { throw ProgramError("sends bad packed events of \(E.eventName): \(error)") }
  }
}
