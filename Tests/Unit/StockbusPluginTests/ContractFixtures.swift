import Dispatch
import StockbusPlugin
import Synchronization

/// Records what the components of one test have done.
final class Diary: Sendable {
  @TaskLocal static var current = Diary()
  private let entries = Mutex<[String]>([])
  func note(_ line: String) { entries.withLock { $0.append(line) } }
  var lines: [String] { entries.withLock { $0 } }
}

/// A clock that does not move: sleepers sleep until they are cancelled.
struct NoTime: Timekeeper {
  var now: Timestamp { Timestamp(ns: 7) }
  var uptime: Duration { .zero }
  func sleep(until deadline: Duration) async throws(CancellationError) {
    let (stream, _) = AsyncStream<Never>.makeStream()
    for await _ in stream {}
    throw CancellationError()
  }
}

final class LetterBox: NoticePublisher {
  private let kept = Mutex<[DeadLetter]>([])
  func post(_ letter: DeadLetter) { kept.withLock { $0.append(letter) } }
  func post(_ status: ConnectionStatus) {}
  func post(_ gap: Gap) {}
  var letters: [DeadLetter] { kept.withLock { $0 } }
}

func context(_ id: String = "it", seed: UInt64 = 42, counters: CounterRegistry = CounterRegistry(), _ office: LetterBox = LetterBox())
  -> Context
{
  let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
  return Context(id: id, Context.Shared(clock: NoTime(), logger: logger, seed: seed, notices: office), counters: counters)
}

struct Whoops: Error, CustomStringConvertible { let description: String }

struct LifeSettings: Options {
  @Setting("Where it fails.") var failsIn = "nothing"
  init() {}
}

/// Records every step of its life.
actor Witness: Sink, BackgroundComponent, CommandableComponent {
  private let settings: LifeSettings
  private let context: Context
  private let diary = Diary.current

  init(_ settings: LifeSettings, _ context: Context) throws {
    self.settings = settings
    self.context = context
    diary.note("init")
    if settings.failsIn == "init" { throw Whoops(description: "in init") }
  }

  private func step(_ name: String) throws {
    diary.note(name)
    if settings.failsIn == name { throw Whoops(description: "in \(name)") }
  }

  func start() throws { try step("start") }
  func receive(_ events: Span<Trade>) throws { try step("receive") }
  func drain() throws { try step("drain") }
  func stop() { diary.note("stop") }

  func background() async {
    try? await context.clock.sleep(for: .seconds(1))
    diary.note("background ends")
  }

  static var commands: [CommandInfo] { [CommandInfo("say WORD", "Says it."), CommandInfo("sing", "Sings.")] }
  func perform(_ command: Command) throws(CommandError) -> String {
    guard let word = command.arguments.first else { throw CommandError("'say' needs a word") }
    return "says \(word)"
  }
}

/// Sends every event unchanged.
actor Same<E: Event>: Processor {
  init(_ settings: NoOptions, _ context: Context) {}
  func process(_ events: Span<E>, into output: inout Outlet<E>) { output.send(contentsOf: events) }
}

actor Many<E: Event>: Source {
  init(_ settings: VariantSettings, _ context: Context) {}
  func run(into output: inout Outlet<E>) async throws {}
}

enum Variant: String, Choice { case trades, quotes }

struct VariantSettings: Options {
  @Setting("What it sends.") var emit = Variant.trades
  init() {}
}

actor Takers: MultiSink {
  init(_ settings: NoOptions, _ context: Context) {}
  static var handlers: [Handler<Takers>] { [Handler(Trade.self) { _, _ in }, Handler(Quote.self) { _, _ in }] }
}

struct AnySourceSettings: Options {
  @Setting("What it sends.") var event = EventName(Trade.self)
  init() {}
}

actor AnySource<E: Event>: Source {
  init(_: AnySourceSettings, _: Context) {}
  func run(into output: inout Outlet<E>) async throws {}
}

enum AnySourcePlugin: AnyEventPlugin {
  static func bind<E: Event>(_: E.Type) -> Blueprint { .source(AnySource<E>.self) }
}

enum SamePlugin: SymbolEventPlugin {
  static func bind<E: SymbolEvent>(_: E.Type) -> Blueprint { .processor(Same<E>.self) }
}

extension Plugin {
  static let same = Plugin("same", "Passes on.", SamePlugin.self, hot: [.processor(Same<Trade>.self)])
  static let many = Plugin(
    "many", "Sends.", option: "emit", variants: ["trades": .source(Many<Trade>.self), "quotes": .source(Many<Quote>.self)])
  static let anySource = Plugin(
    "any_source", "Sends anything.", AnySourcePlugin.self, emitting: "event", hot: [.source(AnySource<Trade>.self)])
  static let takers = Plugin("takers", "Takes two.", .sink(Takers.self))
  static let witness = Plugin("witness", "Notes.", .sink(Witness.self))
}

/// A queue as the executor of an actor and of its tasks.
final class QueueExecutor: SerialExecutor, OwnExecutor {
  private let queue = DispatchQueue(label: "own")
  private let counter = Mutex<BusyTime?>(nil)

  /// Where the time of its jobs is to be counted.
  var countsIn: BusyTime? { counter.withLock { $0 } }

  func count(in busy: BusyTime) { counter.withLock { $0 = busy } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(isolatedTo: self.asUnownedSerialExecutor(), taskExecutor: self.asUnownedTaskExecutor()) }
  }

  /// Whether the task that asks prefers this executor.
  var isPreferred: Bool { withUnsafeCurrentTask { $0?.unownedTaskExecutor == asUnownedTaskExecutor() } }
}

/// Records where the tasks that work for it are resumed.
actor Resident: Sink, BackgroundComponent, ThreadedComponent {
  private let executor = QueueExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  nonisolated var ownExecutor: any OwnExecutor { executor }
  private let diary = Diary.current
  private let context: Context

  init(_ settings: NoOptions, _ context: Context) { self.context = context }

  private func note(_ step: String) { diary.note("\(step) \(executor.isPreferred ? "here" : "elsewhere")") }

  func start() {
    note("start")
    if executor.countsIn === context.busy { diary.note("counted") }
  }
  func receive(_ events: Span<Trade>) { note("receive") }
  func background() { note("background") }
  func drain() { note("drain") }
  func stop() { note("stop") }
}
