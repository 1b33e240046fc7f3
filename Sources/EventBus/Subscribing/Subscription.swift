internal import CMemoryBarrier
internal import Synchronization

/// A token that ends its subscription when it is cancelled or dropped. A second `cancel` has no effect.
///
/// After `cancel` returns, at most the batch that is being delivered is finished; then nothing is called any more. An actor that cancels
/// from inside its own isolation is not called again at all.
public final class Subscription: Sendable {
  private let parker: Parker
  private let task: Guarded<Task<Void, Never>?>
  private let inlet: any AnyInlet

  /// The task is unstructured because the token is its scope: the token's end stops the task.
  init(_ inlet: any AnyInlet, _ parker: Parker, _ pump: @escaping @Sendable () async -> Void) {
    self.inlet = inlet
    self.parker = parker
    task = Guarded(nil)
    let running = Task {
      await pump()
      inlet.detach()
    }
    task.withLock { $0 = running }
  }

  deinit { cancel() }

  /// Ends the subscription.
  public func cancel() {
    task.withLock { $0 }?.cancel()
    parker.wake()
  }

  /// Returns when nothing will be delivered any more: the subscription was cancelled, the topic has ended, or the subscriber is gone or has
  /// thrown.
  public func finished() async { await task.withLock { $0 }?.value }

  /// The counts of its events so far.
  public var counts: EdgeCounts { inlet.counts }
}

extension Topic {
  /// Delivers the events to an actor, inside its isolation. The actor is not kept alive; the subscription ends with it.
  public func subscribe<S: Subscriber>(_ subscriber: S, options: SubscriptionOptions = .new) -> Subscription where S.Input == E {
    let parker = Parker()
    let inlet = attach(parker, options: options)
    return Subscription(inlet, parker) { [weak subscriber] in
      while await inlet.waitUntilReady() {
        guard let actor = subscriber, await actor.drain(inlet) else { return }
        if inlet.isReady { await Task.yield() }
      }
    }
  }

  /// Calls a closure for every event, one after the other.
  public func subscribe(options: SubscriptionOptions = .new, _ body: @escaping @Sendable (E) -> Void) -> Subscription {
    let parker = Parker()
    let inlet = attach(parker, options: options)
    return Subscription(inlet, parker) {
      var slice = TimeSlice()
      while await inlet.waitUntilReady() {
        let batch = inlet.nextBatch(limit: 1024)
        inlet.begin(batch.count)
        for event in batch { body(event) }
        inlet.finish(batch.count)
        if slice.isOver(batch.count) { await Task.yield() }
      }
    }
  }

  /// Calls a closure for every event, together with the previous one of the same symbol.
  public func subscribeToChanges(
    options: SubscriptionOptions = .new, _ body: @escaping @Sendable (Change<E>) -> Void
  ) -> Subscription where E: SymbolEvent {
    let parker = Parker()
    let inlet = attach(parker, options: options)
    return Subscription(inlet, parker) {
      var last = LatestBySymbol<E>()
      var slice = TimeSlice()
      while await inlet.waitUntilReady() {
        let batch = inlet.nextBatch(limit: 1024)
        inlet.begin(batch.count)
        for event in batch { body(Change(old: last.update(event, for: event.symbol), new: event)) }
        inlet.finish(batch.count)
        if slice.isOver(batch.count) { await Task.yield() }
      }
    }
  }
}

extension Subscriber {
  /// Delivers what waits, for one slice of time; returns false after a throw.
  func drain(_ inlet: Inlet<Input>) -> Bool {
    var slice = TimeSlice()
    while true {
      if Task.isCancelled { break }
      let delivery = inlet.delivery
      let batch = inlet.nextBatch(limit: 1024)
      if batch.count == 0 { break }
      inlet.begin(batch.count)
      do { try receive(batch.span, delivery) } catch { return false }
      inlet.finish(batch.count)
      if slice.isOver(batch.count) { break }
    }
    return true
  }
}

/// How long a subscriber may keep its actor and its pool thread while events keep coming: about half a millisecond.
private struct TimeSlice {
  private var events = 0
  private var batches = 0
  private var since = stockbus_monotonic_ns()

  /// Returns true when the slice is over, and then begins the next. It reads the clock once in 16 batches or 1,024 events.
  mutating func isOver(_ n: Int) -> Bool {
    events += n
    batches += 1
    guard events >= 1024 || batches >= 16 else { return false }
    events = 0
    batches = 0
    let now = stockbus_monotonic_ns()
    guard now - since >= 500_000 else { return false }
    since = now
    return true
  }
}

extension Inlet {
  /// The delivery of the next batch.
  var delivery: Delivery {
    let isInitial = hasSnapshot
    return Delivery(sequence: isInitial ? start : start + delivered.total + filtered.total - snapshotDelivered + 1, isInitial: isInitial)
  }

  /// Suspends until a batch waits. Returns false if none will come, or if the task was cancelled.
  nonisolated(nonsending) func waitUntilReady() async -> Bool {
    while true {
      if Task.isCancelled { return false }
      if isReady { return true }
      if isFinished { return false }
      announce()
      parker.fence()
      if !isReady, !topic.isClosed { await parker.sleep() }
      retract()
    }
  }
}
