package import EventBus

/// A processor that passes the events of one type on and only takes in those of another. Of events with one receipt, those that it takes in
/// come first.
///
/// It gets runs of events in one order, as handlers do. With one input of each type, many runs make one turn, so that
/// inputs that alternate cost little more than long batches.
@usableFromInline
package protocol JoiningProcessor<Main, Other>: MultiProcessor where Output == Main {
  associatedtype Main: Event
  associatedtype Other: Event
  /// Takes in the next events of this type.
  func take(_ events: Span<Other>)
  /// Notes for the next events of the output's type what was taken in before them.
  func note(_ events: Span<Main>)
  /// Passes on the events noted since the last call, of which there are at most a batch.
  func pass(_ events: Span<Main>, into output: inout Outlet<Main>)
}

extension JoiningProcessor {
  @inlinable
  package static var handlers: [InputHandler<Self>] {
    [
      InputHandler(Other.self) { owner, events, _ in owner.take(events) },
      InputHandler(Main.self) { owner, events, output in
        owner.note(events)
        owner.pass(events, into: &output)
      },
    ]
  }

  /// A turn of two inputs, one of each type: processes and finishes what is certain of their waiting events; returns how many. Nil for other
  /// inputs.
  @inlinable
  static func turn(of inlets: [any AnyInlet]) -> Turn? {
    guard inlets.count == 2, let main = inlets.compactMap({ $0 as? Inlet<Main> }).first,
      let other = inlets.compactMap({ $0 as? Inlet<Other> }).first
    else { return nil }
    return { owner, room, output in owner.join(main, other, room: room, into: &output) }
  }

  @inlinable
  func join(_ main: Inlet<Main>, _ other: Inlet<Other>, room: Int, into output: inout Outlet<Main>) -> Int {
    guard main.readsRing, other.readsRing else { return 0 }
    let (events, found) = (main.nextBatch(limit: min(room, maximumBatch)), other.nextBatch(limit: maximumBatch))
    let complete = events.count > 0 ? main.complete(with: events.count) : main.reached
    let completeOther = found.count > 0 ? other.complete(with: found.count) : other.reached
    main.begin(events)
    other.begin(found.count)
    let (offset, otherOffset) = (Main.schema.receivedOffset, Other.schema.receivedOffset)
    // A receipt that goes back counts as the largest one before it.
    var (last, lastOther) = (main.lastReceipt, other.lastReceipt)
    func receipt(_ i: Int, after last: Int) -> Int {
      max(last, UnsafeRawPointer(events.baseAddress! + i).load(fromByteOffset: offset, as: Int.self))
    }
    func otherReceipt(_ k: Int, after last: Int) -> Int {
      max(last, UnsafeRawPointer(found.baseAddress! + k).load(fromByteOffset: otherOffset, as: Int.self))
    }
    var (i, k) = (0, 0)
    while true {
      let taken = k
      let bound = i < events.count ? receipt(i, after: last) : complete == .max ? .max : complete &+ 1
      while k < found.count, case let receipt = otherReceipt(k, after: lastOther), receipt <= bound {
        lastOther = receipt
        k &+= 1
      }
      if k > taken { take(found.span.extracting(taken..<k)) }
      if i == events.count { break }
      // Not before everything received up to then has been taken in.
      let end = k < found.count ? otherReceipt(k, after: lastOther) &- 1 : completeOther
      let noted = i
      while i < events.count, case let receipt = receipt(i, after: last), receipt <= end {
        last = receipt
        i &+= 1
      }
      if i == noted { break }
      note(events.span.extracting(noted..<i))
    }
    if i > 0 { pass(events.span.extracting(first: i), into: &output) }
    output.commit()
    main.finish(i, filtered: output.takeFiltered())
    other.finish(k)
    return i &+ k
  }
}
