import EventBus
import LibC
import MarketData
import StockbusConfig
import StockbusPlugin
import StockbusRuntime

/// One test, run.
struct TestRun {
  let test: ConfigurationTest
  /// What differs from what the test expects, at its places; or why the test could not be run.
  let faults: [Problem]
  let time: Duration

  /// Runs the configuration over the inputs of a test, without effects, and compares what comes.
  static func run(_ test: ConfigurationTest, of file: TestFile, logLevel: LogLevel) async throws -> TestRun {
    let clock = ContinuousClock()
    let begin = clock.now
    func ended(_ faults: [Problem]) -> TestRun { TestRun(test: test, faults: faults, time: clock.now - begin) }
    let rows = RowFiles(test.inputs)
    defer { rows.remove() }
    let plan: RehearsalPlan
    do {
      try rows.write()
      let recordings = test.inputs.enumerated().map { Recording(of: $1.source, path: rows.path($0, $1.input)) }
      plan = try RehearsalPlan(ConfigLoader().load(paths: [file.configuration]), over: recordings, mayReplay: false, Program.current)
    } catch let failure as NewFolder.Failure {
      return ended([Problem(failure.description, at: test.mark)])
    } catch let mistake as RehearsalMistake {
      return ended([Problem(mistake.description, at: test.mark)])
    } catch let problems as Problems {
      return ended(problems.sorted)
    }
    let pipeline = try LongCommand.pipeline(plan.topology, logLevel: logLevel)
    var faults: [Problem] = []
    var readers: [(Expectation, Task<[ToldEvent], Never>)] = []
    for expectation in test.expectations {
      if let topic = pipeline.topic(expectation.component), let reader = reader(of: topic) {
        readers.append((expectation, reader))
      } else {
        let names = plan.topology.nodes.filter { $0.blueprint.output != nil }.map(\.id)
        faults.append(
          Problem(
            "no component \(shown(expectation.component)) gives events"
              + didYouMean(expectation.component, among: names, otherwise: "; there are \(names.joined(separator: ", "))"),
            at: expectation.mark))
      }
    }
    guard faults.isEmpty else { return ended(faults) }
    var report: RunReport?
    await LongCommand.run(pipeline) { report = $0 }
    for (expectation, reader) in readers { faults += expectation.faults(of: await reader.value, from: test.start) }
    if let report, let text = report.text(isQuiet: true, isLenient: true).split(separator: "\n").last,
      report.exitStatus(isStrict: false, isLenient: true) != 0
    {
      faults.append(Problem("the run failed: \(text)", at: test.mark))
    }
    return ended(faults)
  }

  /// Collects what is published on a topic from now on, as text.
  private static func reader(of topic: any AnyTopic) -> Task<[ToldEvent], Never>? {
    func open<E: Event>(_: E.Type) -> Task<[ToldEvent], Never>? {
      guard let topic = topic as? Topic<E> else { return nil }
      let names = E.schema.fields.map(\.name)
      let encoders = names.compactMap { EventEncoder<E>(fields: [$0]) }
      let sequence = topic.events()
      let beginning = sequence.begin()
      return Task {
        var told: [ToldEvent] = []
        let events = sequence.makeAsyncIterator(at: beginning)
        while let event = await events.next() {
          let fields = zip(names, encoders).map { (name: $0, text: plain($1, event)) }
          told.append(ToldEvent(fields: fields, time: E.schema.time(of: event)))
        }
        return told
      }
    }
    return open(topic.eventType)
  }

  private static func plain<E: Event>(_ encoder: EventEncoder<E>, _ event: E) -> String {
    var out = ByteWriter(capacity: 64)
    encoder.encodeCSV(event, to: &out)
    let text = out.string
    guard text.first == "\"", text.count >= 2 else { return text }
    // Removes the quotation marks of CSV.
    return String(text.dropFirst().dropLast()).replacing("\"\"", with: "\"")
  }
}

/// The rows that a test has written for its sources, as files.
private struct RowFiles {
  private let inputs: [(source: String, input: TestInput)]
  private let folder: String

  init(_ inputs: [(source: String, input: TestInput)]) {
    self.inputs = inputs
    folder = "\(ConfigLoader.processEnvironment("TMPDIR") ?? "/tmp")/stockbus-test-\(getpid())-\(UInt64.random(in: 0 ... .max))"
  }

  private var files: [DraftFile] {
    inputs.enumerated().compactMap { number, input in
      guard case .rows(let rows) = input.input else { return nil }
      return DraftFile(path: "\(number).jsonl", text: rows.joined(separator: "\n") + "\n")
    }
  }

  func path(_ number: Int, _ input: TestInput) -> String {
    switch input {
    case .file(let path): path
    case .rows: "\(folder)/\(number).jsonl"
    }
  }

  func write() throws(NewFolder.Failure) { try NewFolder.write(files, to: folder) }

  func remove() {
    for number in inputs.indices { unlink("\(folder)/\(number).jsonl") }
    rmdir(folder)
  }
}
