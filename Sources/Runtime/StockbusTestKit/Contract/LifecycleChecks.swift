internal import StockbusPlugin

/// The part of the contract that is checked by running a component.
struct LifecycleChecks: Sendable {
  let plugin: Plugin
  let options: String
  let feeds: [Feed]
  let doors: [DoorID]
  let hasOutput: Bool
  /// True if it gets watermarks.
  let isTimed: Bool
  let isDeterministic: Bool
  /// The longest jump of the clock.
  let jumps: Duration
  let timeout: Duration

  /// How an instance has ended.
  enum Ending: Sendable, Equatable {
    case returned
    case threw(String)
    case cancelled
    /// It has made room for another instance.
    case handedOver
    /// It did not end in time and was abandoned.
    case late
  }

  /// A component with a running clock, and its output.
  struct Subject: Sendable {
    let component: WiredComponent
    let harness: PluginHarness
    let output = Watched<[String]>([])
    let receipts = Watched<[Timestamp]>([])
    /// Why doors did not open while it ran.
    let closedDoors = Watched<[CommandError]>([])
  }

  /// How many events of a source are compared.
  static let sample = 20

  func makeSubject() throws -> Subject {
    let harness = PluginHarness(id: "contract")
    return Subject(
      component: try WiredComponent(plugin, options: options, feeds: feeds, context: harness.context), harness: harness)
  }

  // MARK: Components with inputs

  func checkReader() async -> [String] {
    do {
      var violations = try await checkWithoutEvents()
      // A component that does not end without events will not end with events either.
      if !violations.isEmpty { return violations }
      violations += try await checkWithEvents()
      if violations.isEmpty, isTimed { violations += try await checkTime() }
      if violations.isEmpty { violations += try await checkSecondLife() }
      if violations.isEmpty { violations += try await checkHandOver() }
      return violations
    } catch { return ["It cannot be created: \(error)."] }
  }

  private func checkWithoutEvents() async throws -> [String] {
    let subject = try makeSubject()
    for feed in subject.component.feeds { feed.feed.topic.close() }
    let ending = await live(subject)
    let output = subject.output.value
    var violations = fault(ending, "Without any events") + closedDoors(subject)
    if !output.isEmpty { violations.append("It emits \(output.count) events though none came in, such as \(output[0]).") }
    return violations
  }

  private func checkWithEvents() async throws -> [String] {
    var outputs: [[String]] = []
    for _ in 0..<(isDeterministic && hasOutput ? 2 : 1) {
      let subject = try makeSubject()
      for feed in subject.component.feeds { feed.publishAll() }
      let failure = fault(await live(subject), "When its inputs have ended")
      let violations = failure.isEmpty ? unaccounted(subject) : failure
      if !violations.isEmpty { return violations }
      outputs.append(subject.output.value)
    }
    return outputs.count == 2 ? difference(outputs[0], outputs[1]) : []
  }

  /// Runs instances that are cut off, as the runtime does when it ends everything: the position in the inputs, and everything that an
  /// instance has opened, must be left so that the next one can continue.
  private func checkSecondLife() async throws -> [String] {
    let subject = try makeSubject()
    let component = subject.component
    component.slot.cutOff()
    for feed in component.feeds { feed.feed.publish(0..<feed.count / 2) }
    if await live(subject, isLast: false) == .late { return ["It does not end when everything is cut off."] }
    for feed in component.feeds {
      feed.feed.publish(feed.count / 2..<feed.count)
      feed.feed.topic.close()
    }
    // An instance that is cut off may leave events behind, but not all of them.
    var left = waiting(subject)
    while true {
      let ending = await live(subject, isLast: false)
      if case .threw(let error) = ending { return ["A second instance fails although the first one did not: \(error)."] }
      if ending == .late { return ["It does not end when everything is cut off."] }
      let now = waiting(subject)
      if now == 0 || now == left { break }
      left = now
    }
    return unaccounted(subject)
  }

  /// Checks an instance that hands over in mid-stream: nothing may be lost or repeated.
  private func checkHandOver() async throws -> [String] {
    let subject = try makeSubject()
    for feed in subject.component.feeds { feed.publishAll() }
    switch await live(subject, isLast: false, handsOver: true) {
    case .handedOver: break
    case .threw(let error): return ["It fails when it has to hand over to another instance: \(error)."]
    case .late: return ["It does not hand over to another instance."]
    case .returned, .cancelled: return ["It ends when it has to hand over to another instance."]
    }
    let violations = fault(await live(subject), "After another instance has handed over")
    return violations.isEmpty ? unaccounted(subject) : violations
  }

  private func waiting(_ subject: Subject) -> Int { subject.component.slot.ports.reduce(0) { $0 + $1.counts.inFlight } }

  private func unaccounted(_ subject: Subject) -> [String] {
    subject.component.slot.ports.enumerated().compactMap { i, inlet in
      let counts = inlet.counts
      let done = counts.delivered + counts.filtered
      return done == counts.published ? nil : "It has processed only \(done) of \(counts.published) events of input \(i + 1)."
    }
  }

  // MARK: Sources

  func checkSource() async -> [String] {
    do {
      var samples: [[String]] = []
      for _ in 0..<(isDeterministic ? 2 : 1) {
        let subject = try makeSubject()
        let ending = await liveUntilSampled(subject, isLast: false)
        var violations = fault(ending, "When it is stopped") + closedDoors(subject)
        if !violations.isEmpty { return violations }
        samples.append(Array(subject.output.value.prefix(Self.sample)))
        // A source that has come to its end runs only once.
        if samples.count > 1 || ending == .returned { continue }
        if case .threw(let error) = await liveUntilSampled(subject, isLast: false, handsOver: true) {
          return ["It fails when it has to hand over to another instance: \(error)."]
        }
        violations = fault(await liveUntilSampled(subject, isLast: true), "In a further instance")
        if !violations.isEmpty { return violations }
      }
      return samples.count == 2 ? difference(samples[0], samples[1]) : []
    } catch { return ["It cannot be created: \(error)."] }
  }

  /// Runs one instance, and cancels it once it has emitted a few events.
  private func liveUntilSampled(_ subject: Subject, isLast: Bool, handsOver: Bool = false) async -> Ending {
    let enough = subject.output.value.count + Self.sample
    return await live(subject, isLast: isLast, handsOver: handsOver) { await subject.output.wait { $0.count >= enough } }
  }

  // MARK: What went wrong

  private func fault(_ ending: Ending, _ when: String) -> [String] {
    switch ending {
    case .returned, .cancelled, .handedOver: []
    case .threw(let error): ["\(when) it fails: \(error)."]
    case .late: ["\(when) it does not end."]
    }
  }

  private func closedDoors(_ subject: Subject) -> [String] {
    subject.closedDoors.value.map { "A door does not open while it runs: \($0)." }
  }

  private func difference(_ a: [String], _ b: [String]) -> [String] {
    if a == b { return [] }
    let at = zip(a, b).enumerated().first { $1.0 != $1.1 }?.offset ?? min(a.count, b.count)
    let shown = [a, b].map { $0.indices.contains(at) ? $0[at] : "nothing" }
    return ["The same seed gives a different output: event \(at + 1) is \(shown[0]), then \(shown[1])."]
  }
}
