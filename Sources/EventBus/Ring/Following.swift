/// What an inlet knows about time while its reader follows the watermark. Only the reader uses it, except for `wanted` and `isMuted`, which
/// the watch reads.
struct Following: ~Copyable {
  /// Bytes from an event's start to its receipt.
  let receivedOffset: Int
  /// The largest receipt of the events that were finished.
  let last = Register(.min)
  /// The watermark, as it was read before the head `seenHead`.
  let seenTime = Register(.min)
  let seenHead = Register(0)
  /// Everything received up to this time was finished.
  let reached = Register(.min)
  /// The watermark that ends the reader's sleep.
  let wanted = Register(.max)
  /// 1 while the events that wait here must wait for those of another input.
  let isMuted = Register(0)

  init(receivedOffset: Int) { self.receivedOffset = receivedOffset }

  func received(_ event: UnsafeRawPointer) -> Int { Int(event.load(fromByteOffset: receivedOffset, as: Int64.self)) }
}
