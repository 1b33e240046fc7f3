internal import StockbusPacking
internal import StockbusPlugin

/// The instance of a hosted plugin.
final class HostedLife: Sendable {
  let slot: Slot
  let context: Context
  let reports: HostedReports
  let voice: HostVoice
  let assembly: Blueprint.Assembly
  private let executor: (any TaskExecutor)?
  private let outcome = WaitableValue<Result<Ending, any Error>?>(nil)
  private let task = Guarded(Task<Void, Never>?.none)

  init(
    _ blueprint: Blueprint, _ assembly: Blueprint.Assembly, _ context: Context, _ reports: HostedReports, _ voice: HostVoice,
    _ executor: (any TaskExecutor)?
  ) {
    self.executor = executor
    self.assembly = assembly
    self.context = context
    self.reports = reports
    self.voice = voice
    var plan = Blueprint.TopicPlan(name: context.id)
    (plan.waiting, plan.columns) = (context.waiting, assembly.columns)
    slot = Slot(blueprint.kind, context, inputs: [], output: blueprint.makeTopic(plan), awaitsInputs: !blueprint.inputs.isEmpty)
  }

  /// Starts the instance; the host is notified once it is ready.
  func begin() {
    let voice = voice
    slot.whenStarted { voice.say(["ready": true]) }
    let (slot, assembly, outcome) = (slot, assembly, outcome)
    // Unstructured, because the host's messages decide how it continues; `end` waits for it.
    let life = Task(executorPreference: executor) {
      let result: Result<Ending, any Error>
      do { result = .success(try await slot.run(assembly)) } catch { result = .failure(error) }
      // Before its inputs count as read because it has ended.
      outcome.update { $0 = result }
      slot.retire()
    }
    task.withLock { $0 = life }
  }

  /// True once the instance has ended, whatever its input.
  var hasEnded: Bool { outcome.value != nil }

  /// Asks a source to end.
  func cancel() { task.withLock { $0 }?.cancel() }

  /// Returns once the instance has ended; throws why it has failed. All its reports are sent by then.
  func end() async throws {
    await outcome.wait { $0 != nil }
    reports.report(context)
    do { _ = try outcome.value?.get() } catch is CancellationError {}
  }

  /// Performs a command of the host; other messages have no meaning here.
  func perform(_ message: JSONValue) async {
    guard let line = message["command"]?.text else { return }
    guard let command = Command(line: line) else { return voice.say(["refused": "an empty line is not a command"]) }
    do throws(CommandError) {
      let reply = try await slot.perform(command)
      reports.report(context)
      voice.say(["reply": .string(reply)])
    } catch { voice.say(["refused": .string("\(error)")]) }
  }
}

/// Passes the host's events to a hosted plugin, and the plugin's output to the host.
struct HostedFeed {
  /// The most events that are passed before waiting until they are done.
  private static let most = 1024
  /// The number of polls of a busy plugin that only yield to it.
  private static let looks = 256

  private let wire: HostWire
  private let life: HostedLife

  init(_ wire: HostWire, _ life: HostedLife) {
    self.wire = wire
    self.life = life
  }

  func serve<Input: Event>(_: Input.Type) async throws {
    let topic = Topic<Input>(
      "\(life.context.id)-in", capacity: 4 * Self.most, keepsLatest: false, memory: SubscriptionOptions.defaultMemory,
      columns: life.assembly.reads, producer: Parker(life.context.waiting))
    var outlet = Outlet(topic)
    let unpacker = EventUnpacker<Input>(PackedLayout(Input.self), .open, limit: Symbol.limit, columns: topic.columns)
    let output = life.slot.output.map { HostedOutputs.list(of: $0, life.context) }
    life.slot.reconnect([Edge(topic)])
    guard let port = life.slot.ports.first else { throw HostWire.Broken() }
    life.begin()
    var left = 0
    var out = ByteWriter(capacity: 128 << 10)
    while let first = try await wire.next() {
      var message: HostWire.Message? = first
      var (last, given) = (0, 0)
      while let present = message {
        guard case .events(let content, let number) = present else { break }
        given += try unpacker.unpack(content, into: &outlet)
        outlet.commit()
        last = number
        message = given < Self.most ? try wire.nextAtOnce() : nil
      }
      if last > 0 {
        try await outlet.flush()
        try await settle(port, output, &out)
        let filtered = port.counts.filtered
        life.reports.report(life.context, isUrgent: false, to: &out)
        HostVoice.put(["done": .number(last), "filtered": .number(filtered - left)], to: &out)
        left = filtered
        flush(&out)
      }
      guard case .other(let words)? = message else { continue }
      if words["drain"] != nil {
        topic.close()
        return try await drain(output, &out)
      }
      if words["hand_over"] != nil {
        life.slot.quiesce()
        return try await drain(output, &out)
      }
      await life.perform(words)
    }
    // The host has closed its end, and kills this process.
    life.slot.cutOff()
  }

  /// Returns once the plugin has finished all events passed to it. There is no signal for that, so it polls, less often if the plugin takes
  /// long; every poll lets the plugin work.
  private func settle(_ port: InputPort, _ output: (any HostedEventList)?, _ out: inout ByteWriter) async throws {
    var looks = 0
    while port.counts.inFlight > 0 {
      collect(output, &out)
      looks += 1
      if looks < Self.looks { await Task.yield() } else { try await pause(looks - Self.looks) }
    }
    if life.hasEnded {
      try await life.end()
      throw HostingError("it ended before its input")
    }
    // A batch's output is published before the batch is done.
    collect(output, &out)
  }

  /// Waits longer after each poll, but no longer than a millisecond.
  private func pause(_ times: Int) async throws {
    try await life.context.clock.sleep(until: life.context.clock.uptime + .microseconds(min(1000, 10 * (times + 1))))
  }

  private func drain(_ output: (any HostedEventList)?, _ out: inout ByteWriter) async throws {
    var looks = 0
    while !life.hasEnded {
      collect(output, &out)
      looks += 1
      if looks < Self.looks { await Task.yield() } else { try await pause(looks - Self.looks) }
    }
    collect(output, &out)
    flush(&out)
    try await life.end()
    life.voice.say(["drained": true])
  }

  private func collect(_ output: (any HostedEventList)?, _ out: inout ByteWriter) {
    output?.take(to: &out)
    // The host reads while it waits, so nothing has to be held here.
    if out.count > 64 << 10 { flush(&out) }
  }

  private func flush(_ out: inout ByteWriter) {
    if out.count == 0 { return }
    life.voice.write(out)
    out.clear()
  }
}
