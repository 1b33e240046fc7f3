internal import CMemoryBarrier
internal import Synchronization

// Readers come and go.
extension Topic {
  /// Adds a reader that begins with the next event and sleeps at `parker`. The topic keeps it, and waits for it if it is lossless, until it
  /// is detached.
  ///
  /// If `initial` is asked for and the topic does not keep the last values, it keeps them from now on, beginning with the events that some
  /// lossless reader has yet to pass; `Inlet.beginsComplete` says whether those were all. Traps if `initial` is asked for and the events
  /// are not about a symbol.
  package func attach(_ parker: Parker, options: SubscriptionOptions = SubscriptionOptions()) -> Inlet<E> {
    let inlet = members.withLock { makeInlet(parker, options, at: published, &$0) }
    begin(inlet)
    return inlet
  }

  /// Makes an inlet that begins with event `position`, and lists it.
  ///
  /// The position was read under this lock: meanwhile the producer may publish, but its limit is not recomputed, so the slots from there on
  /// are safe.
  func makeInlet(_ parker: Parker, _ options: SubscriptionOptions, at position: Int, _ members: inout TopicMembers) -> Inlet<E> {
    var initial: ContiguousArray<E> = []
    if options.initial {
      keepLatest(&members)
      keep(&members, upTo: position)
      initial = latest.values
    }
    let bit = options.overflow == .block ? freeBit(members) : 0
    let inlet = Inlet(self, parker, bit: bit, at: position, initial: initial, options, beginsComplete: members.keptFrom == 0)
    members.readers.append(inlet)
    return inlet
  }

  /// What is left to do for a listed inlet. Not under the lock: `Parker.lookAgain` takes the two locks in the other order.
  func begin(_ inlet: Inlet<E>) {
    inlet.parker.add(inlet)
    hear(inlet)
  }

  /// Keeps the last event of every symbol from now on, beginning with the events that the producer cannot overwrite yet.
  private func keepLatest(_ members: inout TopicMembers) {
    if members.keepsLatest { return }
    precondition(E.schema.hasKinds, "'\(E.eventName)' is about no symbol, of which there is no last event")
    var low = published
    for reader in members.readers where reader.isLossless { low = min(low, reader.bound) }
    members.keepsLatest = true
    members.kept = low
    members.keptFrom = low
  }

  @usableFromInline package func attachReader(_ parker: Parker, options: SubscriptionOptions) -> any AnyInlet {
    attach(parker, options: options)
  }

  /// Puts a new inlet in the place of `old`, at the same event and with the events that wait in `old` first. Only the reader itself may
  /// call, between two batches, or a caller that knows that the reader does not work.
  func replace(_ old: Inlet<E>, options: SubscriptionOptions) -> Inlet<E> {
    old.retract()
    let inlet = members.withLock { members in
      // Under the lock the producer cannot pass the limit that `old` sets; after that the new inlet sets it.
      offerToMailboxes(members)
      let counts = old.counts.settled
      let (waiting, next) = old.takeWaiting()
      let bit = options.overflow != .block ? 0 : old.isLossless ? old.bit : freeBit(members)
      let inlet = Inlet(self, old.parker, bit: bit, at: next, initial: waiting, options)
      old.handOver(to: inlet, counts)
      members.readers.removeAll { $0 === old }
      members.readers.append(inlet)
      forgetMailboxes(members)
      offerToMailboxes(members)
      return inlet
    }
    begin(inlet)
    feedProducer()
    return inlet
  }

  /// Makes the producer offer events to a lossy inlet, which must be among the readers already.
  private func hear(_ inlet: Inlet<E>) {
    guard inlet.mailbox != nil else { return }
    // The producer may be publishing without having seen the bit, so what it published meanwhile is offered here.
    _ = attention.pointee.bitwiseOr(Self.mailboxBit, ordering: .sequentiallyConsistent)
    stockbus_heavy_barrier()
    members.withLock { offerToMailboxes($0) }
  }

  /// A bit that no attached reader has, or else the shared one. A lossy reader needs none: its mailbox knows that it waits.
  private func freeBit(_ members: borrowing TopicMembers) -> Int {
    let taken = members.readers.reduce(0) { $0 | $1.bit }
    return (0..<61).first { taken & (1 << $0) == 0 }.map { 1 << $0 } ?? Self.sharedBit
  }

  /// Removes a reader, so that the producer no longer waits for it. Only the reader itself may call, or a caller that knows that the reader
  /// does not work.
  func detach(_ inlet: Inlet<E>) {
    members.withLock { members in
      members.readers.removeAll { $0 === inlet }
      forgetMailboxes(members)
    }
    feedProducer()
  }

  /// Clears the lossy readers' bit when none is left. A lossy reader sets the bit after it is listed, so its bit is not lost here.
  func forgetMailboxes(_ members: borrowing TopicMembers) {
    if members.readers.contains(where: { !$0.isLossless }) { return }
    _ = attention.pointee.bitwiseAnd(~Self.mailboxBit, ordering: .sequentiallyConsistent)
  }
}
