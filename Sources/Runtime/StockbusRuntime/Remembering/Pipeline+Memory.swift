internal import StockbusConfig
internal import StockbusPlugin

extension Pipeline {
  /// Why the memory cannot be taken at present.
  struct Obstacle: Error {
    let description: String
  }

  /// What the components leave for the next run; nil if some were cut off. To be called when the run has ended.
  package var leftMemory: RunMemory? {
    if abortSignal.hasFired { return nil }
    return memory(of: members.map { ($0, $0.slot.context.memory.entries) }, isAtEnd: true)
  }

  private func memory(of members: [(Member, [Memory.Entry])], isAtEnd: Bool) -> RunMemory {
    RunMemory(
      time: clock.now,
      components: members.compactMap { member, entries in
        let plan = member.plan
        return entries.isEmpty
          ? nil : RunMemory.Component(id: plan.id, plugin: plan.plugin.name, options: plan.optionsDigest, entries: entries)
      }, isOfEndedRun: isAtEnd)
  }

  /// What the components would leave for another run if this one ended now; the run goes on.
  ///
  /// It is one cut through the run: all components are halted between two batches, upstream first, because one whose output is not read may
  /// not reach the end of its batch. Events that the sources publish meanwhile wait, and are not yet counted among what a source has sent,
  /// or are kept with the others that wait.
  func takeMemory(within patience: Duration) async throws(Obstacle) -> RunMemory {
    let end = Latch()
    guard beginHalt(end) else { throw Obstacle(description: "the run is being changed") }
    defer { endHalt() }
    let deadline = clock.uptime + patience
    let members = members
    var halted: [Member] = []
    defer { for member in halted { member.slot.resume() } }
    for member in members where !member.slot.isPureSource && !member.hasEnded {
      // At the end of its inputs a component sends what it holds back, however long that takes.
      if member.slot.ports.allSatisfy(\.inlet.isFinished) { throw Obstacle(description: "'\(member.id)' is about to end") }
      let reached = Latch()
      halted.append(member)
      member.slot.halt { reached.fire() }
      let isHalted = await firstOf([reached, member.end, stopSignal], within: deadline - clock.uptime, clock)
      if stopSignal.hasFired { throw Obstacle(description: "the run is stopping") }
      if !isHalted {
        throw Obstacle(description: "'\(member.id)' is in the middle of a batch")
      }
    }
    let ports = members.flatMap { member in member.slot.ports.map { (reader: member.id, inlet: $0.inlet) } }
    var entries: [String: [Memory.Entry]] = [:]
    for member in members {
      let readers = ports.filter { port in member.slot.output.map { port.inlet.source === $0 } ?? false }
      let legacy = try await legacy(of: member, readers.map(\.inlet), until: deadline)
      entries[member.id, default: []] += legacy.memory
      for (reader, waiting) in zip(readers, legacy.waiting) where waiting.count > 0 {
        entries[reader.reader, default: []].append(
          Memory.Entry(name: RunMemory.waitingPrefix + member.id, isKept: true, version: 1, value: .live(waiting)))
      }
    }
    return memory(of: members.map { ($0, entries[$0.id] ?? []) }, isAtEnd: false)
  }

  /// Lets the sources publish, which wait for the first memory. Without effect afterwards.
  func letSourcesBegin() { for member in members { member.slot.join() } }

  /// In a task of its own, because a source may wait for a pipe with its thread.
  private func legacy(of member: Member, _ readers: [any AnyInlet], until deadline: Duration) async throws(Obstacle) -> Legacy {
    let found = Guarded(Result<Legacy, any Error>?.none)
    let isThere = Latch()
    Task {
      let result = await Result.of { try await member.slot.legacy(readers: readers) }
      found.withLock { $0 = result }
      isThere.fire()
    }
    _ = await firstOf([isThere], within: deadline - clock.uptime, clock)
    switch found.withLock({ $0 }) {
    case .success(let legacy): return legacy
    case .failure(let error): throw Obstacle(description: "'\(member.id)' \(error)")
    case nil: throw Obstacle(description: "'\(member.id)' waits for its input")
    }
  }
}

extension Result where Failure == any Error {
  fileprivate static func of(_ body: () async throws -> Success) async -> Self {
    do { return .success(try await body()) } catch { return .failure(error) }
  }
}
