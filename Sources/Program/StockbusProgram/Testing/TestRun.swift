import EventBus
import LibC
import MarketData
import StockbusConfig
import StockbusFiles
import StockbusPlugin
import StockbusRuntime
import StockbusSystem

/// One test, run.
struct TestRun {
  let test: ConfigurationTest
  /// What differs from what the test expects, at its places; or why the test could not be run.
  let faults: [Problem]
  let time: Duration
  /// The way of the events of one symbol, one line each.
  var trace: [String] = []
  /// What came in the places of what was expected.
  var updates: [TestUpdate] = []
  /// True if somebody wanted it to stop.
  var wasStopped = false

  /// Runs the configuration over the inputs of a test, without effects, and compares what comes.
  ///
  /// - Parameter traced: the symbol whose events are followed.
  static func run(_ test: ConfigurationTest, of file: TestFile, tracing traced: String?, logLevel: LogLevel) async throws -> TestRun {
    let clock = ContinuousClock()
    let begin = clock.now
    func ended(_ faults: [Problem], _ trace: [String] = []) -> TestRun {
      TestRun(test: test, faults: faults, time: clock.now - begin, trace: trace)
    }
    let rows = RowFiles(test.inputs)
    defer { rows.remove() }
    let plan: TestPlan
    do {
      try rows.write()
      plan = try TestPlan(test, of: file, recordings: rows.recordings, folder: rows.folder)
    } catch let failure as NewFolder.Failure {
      return ended([Problem(failure.description, at: test.mark)])
    } catch let mistake as RehearsalMistake {
      return ended([Problem(mistake.description, at: test.mark)])
    } catch let problems as Problems {
      return ended(problems.sorted)
    }
    let simulation = Simulation(plan, logLevel: logLevel)
    let pipeline = simulation.pipeline
    var faults: [Problem] = []
    var readers: [(Expectation, [TestReader])] = []
    for expectation in test.expectations {
      do throws(Problem) { readers.append((expectation, try plan.readers(for: expectation, simulation))) } catch { faults.append(error) }
    }
    guard faults.isEmpty else { return ended(faults) }
    let letters = pipeline.topic(RunTopic.deadLetters.rawValue).flatMap { TestReader(of: $0, "", simulation) }
    var ways: [TestReader] = []
    if traced != nil { ways = plan.traceable.compactMap { id in pipeline.topic(id).flatMap { TestReader(of: $0, id, simulation) } } }
    var updates: [TestUpdate] = []
    let (end, report) = await simulation.run(checks: test.checks)
    for (expectation, readers) in readers {
      var events: [WrittenEvent] = []
      for reader in readers { events += await reader.events.value }
      if readers.count > 1 {
        let order = events.indices.sorted { (events[$0].moment, $0) < (events[$1].moment, $1) }
        events = order.map { events[$0] }
      }
      faults += expectation.faults(of: events, from: test.start)
      updates += expectation.updates(from: events, start: test.start)
    }
    for (check, snapshot) in zip(test.checks, end.snapshots) {
      updates += snapshot.map(check.updates) ?? []
      faults += snapshot.map(check.faults) ?? [Problem("the run had ended before", at: check.mark)]
    }
    if end.wasStopped || end.isStuck {
      let why = end.wasStopped ? "it was stopped" : "the run stood still: it waits for something outside of it"
      var run = ended([Problem(why, at: test.mark)])
      run.wasStopped = end.wasStopped
      return run
    }
    if let text = report.text(isQuiet: true, isLenient: true).split(separator: "\n").last,
      report.exitStatus(isStrict: false, isLenient: true) != 0, !test.expectsFailure
    {
      faults.append(Problem("the run failed: \(text)", at: test.mark))
    }
    for letter in await letters?.events.value ?? [] {
      guard let origin = letter["origin"], let mark = rows.mark(of: origin) else { continue }
      faults.append(Problem("this is no event of its source: \(letter["reason"] ?? "")", at: mark))
    }
    var trace: [(moment: Duration, line: String)] = []
    for reader in ways {
      for event in await reader.events.value where event["symbol"] == traced {
        trace.append((event.moment, "\(reader.component): \(event.text([], from: test.start))"))
      }
    }
    let order = trace.indices.sorted { (trace[$0].moment, $0) < (trace[$1].moment, $1) }
    var run = ended(faults, order.map { "+\(Duration.microseconds(trace[$0].moment / .microseconds(1)).optionText) \(trace[$0].line)" })
    run.updates = updates
    return run
  }
}

extension ConfigurationTest {
  /// True if the test looks at what was lost or has failed, so that this alone is no failure of the test.
  fileprivate var expectsFailure: Bool { !checks.isEmpty && !faults.isEmpty }
}

/// A reader of all that a component publishes.
struct TestReader {
  let component: String
  /// The names of the fields.
  let names: [String]
  let events: Task<[WrittenEvent], Never>

  /// Reads from now on. Nil if the topic's events cannot be written.
  init?(of topic: any AnyTopic, _ component: String, _ simulation: Simulation) {
    func open<E: Event>(_: E.Type) -> TestReader? {
      guard let topic = topic as? Topic<E> else { return nil }
      let (columns, count) = (topic.columns, E.schema.fields.count)
      let names = E.schema.fields.map(\.name) + columns.names
      let areNumbers =
        E.schema.fields.map { $0.kind == .decimal || $0.kind == .integer }
        + columns.columns.map { $0.kind != .time && $0.kind != .flag }
      let encoders = names.compactMap { EventEncoder<E>(fields: [$0], columns: columns) }
      let sequence = topic.events()
      let beginning = sequence.begin()
      let task = Task(executorPreference: simulation.executor) {
        var written: [WrittenEvent] = []
        let events = sequence.makeAsyncIterator(at: beginning)
        while let event = await events.next() {
          let fields = names.indices.map { i in
            let text = i < count ? encoders[i].plainText(event) : encoders[i].text(event, events.row)
            return (name: names[i], text: names[i] == "component" ? TestPlan.source(text) : text, isNumber: areNumbers[i])
          }
          let time = E.schema.time(of: event)
          written.append(WrittenEvent(fields: fields, time: time, moment: simulation.moment(of: time)))
        }
        return written
      }
      return TestReader(component: component, names: names, events: task)
    }
    guard let reader = open(topic.eventType) else { return nil }
    self = reader
  }

  private init(component: String, names: [String], events: Task<[WrittenEvent], Never>) {
    (self.component, self.names, self.events) = (component, names, events)
  }
}

/// The rows that a test has written for its sources, as files; and those that the run writes.
private struct RowFiles {
  let folder: String
  private let inputs: [(source: String, input: TestInput)]

  init(_ inputs: [(source: String, input: TestInput)]) {
    self.inputs = inputs
    folder = "\(ConfigLoader.processEnvironment("TMPDIR") ?? "/tmp")/stockbus-test-\(getpid())-\(UInt64.random(in: 0 ... .max))"
  }

  var recordings: [Recording] {
    inputs.enumerated().map { number, input in
      var isOwn = false
      if case .rows = input.input { isOwn = true }
      return Recording(of: input.source, path: path(number, input.input), isOwn: isOwn)
    }
  }

  /// Where the row at `FOLDER/0.jsonl:3` is written in the test; nil for other places.
  func mark(of origin: String) -> ConfigNode.Mark? {
    let parts = origin.dropFirst(folder.count + 1).split(separator: ".jsonl:")
    guard origin.hasPrefix(folder), parts.count == 2, let number = Int(parts[0]), let line = Int(parts[1]), inputs.indices.contains(number),
      case .rows(let rows) = inputs[number].input, rows.indices.contains(line - 1)
    else { return nil }
    return rows[line - 1].mark
  }

  private func path(_ number: Int, _ input: TestInput) -> String {
    switch input {
    case .file(let path): path
    case .rows: "\(folder)/\(number).jsonl"
    }
  }

  func write() throws(NewFolder.Failure) {
    let files = inputs.enumerated().compactMap { number, input -> DraftFile? in
      guard case .rows(let rows) = input.input else { return nil }
      return DraftFile(path: "\(number).jsonl", text: rows.map(\.text).joined(separator: "\n") + "\n")
    }
    try NewFolder.write(files, to: folder)
  }

  func remove() {
    for name in (try? FolderListing.names(folder)) ?? [] { unlink("\(folder)/\(name)") }
    rmdir(folder)
  }
}
