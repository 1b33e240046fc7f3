internal import StockbusPlugin

/// Where the fields of an event are that are read for each event. This is the only file of the plugin that reads memory by address: the
/// offsets are those of stored properties, from the event's declaration.
struct EventFields<E: Event>: Sendable {
  private let receiptOffset: Int
  /// Nil if events have owners, whose pairs with symbols the declaration numbers.
  private let symbolOffset: Int?
  private let conditionOffset: Int?

  init() {
    receiptOffset = E.schema.receivedOffset
    symbolOffset = E.schema.ownerOffset == nil ? E.schema.keyOffset : nil
    conditionOffset = E.schema.conditionOffset
  }

  @inline(__always)
  func receipt(of event: UnsafePointer<E>) -> Int64 { UnsafeRawPointer(event).load(fromByteOffset: receiptOffset, as: Int64.self) }

  /// A small number for what the event is about.
  @inline(__always)
  func kind(of event: UnsafePointer<E>) -> Int {
    guard let symbolOffset else { return E.schema.kind(of: event.pointee) }
    return Int(UnsafeRawPointer(event).load(fromByteOffset: symbolOffset, as: UInt32.self))
  }

  /// True if the event has a price that does not count for the last price.
  @inline(__always)
  func hidesPrice(_ event: UnsafePointer<E>) -> Bool {
    guard let conditionOffset else { return false }
    return !UnsafeRawPointer(event).load(fromByteOffset: conditionOffset, as: TradeCondition.self).countsForLast
  }

  /// The event with another receipt, which is its time if it has no field `received`.
  func received(_ event: E, at time: Int64) -> E {
    var event = event
    withUnsafeMutableBytes(of: &event) { $0.storeBytes(of: time, toByteOffset: receiptOffset, as: Int64.self) }
    return event
  }
}
