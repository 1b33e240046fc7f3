/// A reader to be added at a cut: where it sleeps, and how it reads.
@usableFromInline package struct NewReader: Sendable {
  package let parker: Parker
  package let options: SubscriptionOptions

  package init(_ parker: Parker, options: SubscriptionOptions = SubscriptionOptions()) {
    self.parker = parker
    self.options = options
  }
}

extension Topic {
  /// Cuts the topic between its last event and the next one. What is published from now on is not for the readers `ending`, is for the
  /// readers `pausing` only when they resume, and is all that the readers `beginning` get. Returns the inlets of those, which are held.
  ///
  /// The inlets of readers that end or pause hand out what they have yet to hand out, are finished then, and say so (`AnyInlet.whenDone`).
  /// The producer waits for the former no longer than that, and for the latter as ever; a reader without back-pressure cannot pause. All of
  /// them stay attached.
  ///
  /// They are held, and their readers are between two batches: a reader that looked at the head before it was held may hand out events that
  /// were published later.
  @usableFromInline package func cut(
    ending: [any AnyInlet], pausing: [any AnyInlet], beginning: [NewReader]
  ) -> [any AnyInlet] {
    let (ending, pausing) = (own(ending), own(pausing))
    precondition(pausing.allSatisfy(\.isLossless), "a reader without back-pressure pauses")
    let new = members.withLock { members in
      offerToMailboxes(members)
      let position = published
      for inlet in ending { inlet.cut(at: position, leaves: true) }
      for inlet in pausing { inlet.cut(at: position, leaves: false) }
      // Nothing more is offered to lossy readers that end.
      members.readers.removeAll { reader in !reader.isLossless && ending.contains { $0 === reader } }
      let new = beginning.map { reader in
        let inlet = makeInlet(reader.parker, reader.options, &members)
        inlet.hold()
        return inlet
      }
      forgetMailboxes(members)
      return new
    }
    for inlet in new { begin(inlet) }
    for inlet in ending + pausing { inlet.sayIfDone() }
    feedProducer()
    return new
  }

  private func own(_ inlets: [any AnyInlet]) -> [Inlet<E>] {
    inlets.map { inlet in
      guard let inlet = inlet as? Inlet<E>, inlet.topic === self else { preconditionFailure("the inlet reads another topic") }
      return inlet
    }
  }
}
