import StockbusTestKit

// One plugin for every rule of the contract, which breaks it.

struct BadSettings: Options {
  @Setting("No full stop") var first = 1
  @Setting("Reserved.") var inputs = 2
  @Setting("Cannot be written.", in: 1...5) var third = 9
  var fourth = 4

  init() {}
}

/// Has an invalid declaration.
struct BadEvent: Event {
  var name: String
  var count: Int64
  var forgotten: Int64
  var time: Timestamp

  static let schema = EventSchema<BadEvent>(
    "badEvent", "No sentence", time: \.time,
    example: BadEvent(name: "x", count: 1, forgotten: 2, time: Timestamp(ns: 0)),
    fields: [.init("Name", \.name, "The name."), .init("count", \.count, "how many"), .init("time", \.time, "When.")])
}

/// Writes a form that it cannot read.
struct Lopsided: FieldValue, Comparable {
  var value: Int64
  static var kind: FieldKind { .integer }
  static var fixedWidth: Int? { 24 }
  func write(to out: inout ByteWriter) { out.put(integer: value) }
  init(value: Int64) { self.value = value }
  init(from text: inout ByteReader) throws(TextError) { value = try text.integer() + 1 }
  static func < (a: Lopsided, b: Lopsided) -> Bool { a.value < b.value }
}

struct LopsidedEvent: Event {
  var count: Lopsided
  var time: Timestamp
  static let schema = EventSchema<LopsidedEvent>(
    "lopsided", "Is not what it was.", time: \.time, example: LopsidedEvent(count: Lopsided(value: 1), time: Timestamp(ns: 0)),
    fields: [.init("count", \.count, "How many."), .init("time", \.time, "When.")])
}

actor BadlyDeclared: Sink {
  init(_ settings: BadSettings, _ context: Context) {}
  func receive(_ events: Span<BadEvent>) {}
}

actor LopsidedSink: Sink {
  init(_ settings: NoOptions, _ context: Context) {}
  func receive(_ events: Span<LopsidedEvent>) {}
}

/// Emits an event at its end although there was no input.
actor Inventor: Processor {
  init(_ settings: NoOptions, _ context: Context) {}
  func process(_ events: Span<Trade>, into output: inout Outlet<Trade>) {}
  func drain(into output: inout Outlet<Trade>) { output.send(Trade.schema.example) }
}

/// Never ends its drain.
actor Hanger: Sink {
  private let (stream, wire) = AsyncStream<Int>.makeStream()
  init(_ settings: NoOptions, _ context: Context) {}
  func receive(_ events: Span<Trade>) {}
  func drain() async { for await _ in stream {} }
}

/// Fails with its first event.
actor Faller: Sink {
  init(_ settings: NoOptions, _ context: Context) {}
  func receive(_ events: Span<Trade>) throws { throw HarnessTestError() }
}

struct HarnessTestError: Error, CustomStringConvertible { let description = "oh" }

/// Emits different events in every life.
actor Gambler: EventProcessor {
  private var random = SystemRandomNumberGenerator()
  init(_ settings: NoOptions, _ context: Context) {}
  func process(_ event: Trade, into output: inout Outlet<Trade>) {
    var event = event
    event.price = Price(raw: Int64.random(in: 1...1_000_000_000_000, using: &random))
    output.send(event)
  }
}

/// Cannot be cancelled.
actor Deaf: Source {
  private let (stream, wire) = AsyncStream<Int>.makeStream()
  init(_ settings: NoOptions, _ context: Context) {}
  func run(into output: inout Outlet<Trade>) async throws {
    for _ in 0..<50 { output.send(Trade.schema.example) }
    try await output.flush()
    // An unstructured task is not cancelled.
    let stream = stream
    await Task { for await _ in stream {} }.value
  }
}

/// Works in one life only, because it never closes what it opens.
actor OnlyOnce: Sink {
  private static let isOpen = Watched<[String: Int]>([:])
  private let logger: Logger
  private let life: Int
  init(_ settings: NoOptions, _ context: Context) {
    logger = context.logger
    life = 0
  }
  func start() throws {
    // The third life is the second with the same context; the first two are those without and with events.
    let count = Self.isOpen.update { lives in
      lives["port", default: 0] += 1
      return lives["port", default: 0]
    }
    if count > 3 { throw HarnessTestError() }
  }
  func receive(_ events: Span<Trade>) {}
}

struct Bell: Sendable {}

/// Declares one door twice.
actor DoubleDoors: Sink, OfferingComponent {
  static var doors: [ComponentDoor<DoubleDoors>] { [ComponentDoor(Bell.self) { _ in Bell() }, ComponentDoor(Bell.self) { _ in Bell() }] }
  init(_ settings: NoOptions, _ context: Context) {}
  func receive(_ events: Span<Trade>) {}
}

/// Declares a door until it lives.
actor Fickle: Sink, OfferingComponent {
  private static let lives = Watched(0)
  static var doors: [ComponentDoor<Fickle>] { lives.value == 0 ? [ComponentDoor(Bell.self) { _ in Bell() }] : [] }
  init(_ settings: NoOptions, _ context: Context) { Self.lives.update { $0 += 1 } }
  func receive(_ events: Span<Trade>) {}
}

/// Has an effect besides its output, and does not say how to be without it.
actor Scribbler: Processor {
  struct Settings: Options {
    @Setting("The file.") var path = "notes.txt"
    init() {}
    var files: [FileUse] { [.writing(path, at: "path")] }
  }

  init(_ settings: Settings, _ context: Context) {}
  func process(_ events: Span<Trade>, into output: inout Outlet<Trade>) { output.send(contentsOf: events) }
}

extension Plugin {
  static let doubleDoors = Plugin("double_doors", "Has two doors.", .sink(DoubleDoors.self))
  static let fickle = Plugin("fickle", "Has a door, or not.", .sink(Fickle.self))
  static let badlyDeclared = Plugin("BadPlugin", "no sentence", .sink(BadlyDeclared.self))
  static let lopsided = Plugin("lopsided", "Takes lopsided events.", .sink(LopsidedSink.self))
  static let inventor = Plugin("inventor", "Invents.", .processor(Inventor.self))
  static let hanger = Plugin("hanger", "Hangs.", .sink(Hanger.self))
  static let scribbler = Plugin("scribbler", "Passes events on, and could write a file.", .processor(Scribbler.self))
  static let faller = Plugin("faller", "Falls.", .sink(Faller.self))
  static let gambler = Plugin("gambler", "Gambles.", .processor(Gambler.self))
  static let deaf = Plugin("deaf", "Does not listen.", .source(Deaf.self))
  static let onlyOnce = Plugin("only_once", "Lives once.", .sink(OnlyOnce.self))
}
