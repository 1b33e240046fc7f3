internal import StockbusPlugin

/// A configuration as values, which change at random and are written as YAML.
///
/// There are a source of numbers, a tree of processors behind it, a reader for each processor, and some readers of their own.
struct Desk {
  struct Stage {
    var id: String
    var input: String
    var mark: Int
    /// Leaves out the multiples of this number; 0 leaves out none.
    var every: Int
    var capacity: Int
  }

  struct Reader {
    var id: String
    var inputs: [String]
    var salt: Int
    /// It drops the oldest beyond so many.
    var lossy: Int?
  }

  var stages: [Stage] = []
  var readers: [Reader] = [Reader(id: "keep", inputs: ["numbers"], salt: 0)]
  /// A second source with a reader, which come and go.
  var hasTocks = false
  /// In every round a processor with this mark comes, and the one before it leaves, so that the reader of the cuts tells where that was.
  var round = 0
  fileprivate(set) var stamp = "s0"
}

extension Desk {
  /// One to three random steps: stages and readers come, go, change their options, their rings and their inputs.
  mutating func change(_ random: inout RandomStream, round: Int) {
    self.round = round
    stamp = stamp == "s0" ? "s1" : "s0"
    for _ in 0...Int.random(in: 0...2, using: &random) {
      switch Int.random(in: 0..<9, using: &random) {
      case 0, 1: addStage(&random)
      case 2: removeStage(&random)
      case 3, 4, 5: changeStage(&random)
      case 6: rewire(&random)
      case 7: changeReaders(&random)
      default: hasTocks.toggle()
      }
    }
  }

  private mutating func addStage(_ random: inout RandomStream) {
    guard stages.count < 5, let input = (["numbers"] + stages.map(\.id)).randomElement(using: &random),
      let id = (0..<8).map({ "p\($0)" }).filter({ id in !stages.contains { $0.id == id } }).randomElement(using: &random)
    else { return }
    stages.append(Stage(id: id, input: input, mark: 0, every: Self.divisor(&random), capacity: 1024))
  }

  private static func divisor(_ random: inout RandomStream) -> Int { [0, 2, 3, 4].randomElement(using: &random) ?? 0 }

  private mutating func changeStage(_ random: inout RandomStream) {
    guard let place = stages.indices.randomElement(using: &random) else { return }
    switch Int.random(in: 0..<3, using: &random) {
    case 0: stages[place].mark = Int.random(in: 0..<1000, using: &random)
    case 1: stages[place].every = Self.divisor(&random)
    default: stages[place].capacity = 256 << Int.random(in: 0...5, using: &random)
    }
  }

  /// Who read it reads its input.
  private mutating func removeStage(_ random: inout RandomStream) {
    guard let place = stages.indices.randomElement(using: &random) else { return }
    let gone = stages.remove(at: place)
    for i in stages.indices where stages[i].input == gone.id { stages[i].input = gone.input }
    for i in readers.indices {
      readers[i].inputs = readers[i].inputs.map { $0 == gone.id ? gone.input : $0 }
      if readers[i].inputs.count == 2, readers[i].inputs[0] == readers[i].inputs[1] { readers[i].inputs.removeLast() }
    }
  }

  /// A stage reads an earlier one, or a reader any.
  private mutating func rewire(_ random: inout RandomStream) {
    let place = Int.random(in: 0..<(stages.count + readers.count), using: &random)
    if place < stages.count {
      stages[place].input = (["numbers"] + stages[..<place].map(\.id)).randomElement(using: &random) ?? "numbers"
    } else {
      readers[place - stages.count].inputs = [(["numbers"] + stages.map(\.id)).randomElement(using: &random) ?? "numbers"]
    }
  }

  /// The third reader may have two inputs, the fourth one is lossy.
  private mutating func changeReaders(_ random: inout RandomStream) {
    let place = Int.random(in: 1...3, using: &random)
    let id = "r\(place)"
    if let at = readers.firstIndex(where: { $0.id == id }) {
      // With two inputs nobody can say at which number the salt has changed.
      if place == 2 || Bool.random(using: &random) { readers.remove(at: at) } else { readers[at].salt += 1 }
      return
    }
    let outputs = ["numbers"] + stages.map(\.id)
    var inputs = [outputs.randomElement(using: &random) ?? "numbers"]
    if place == 2, let other = outputs.randomElement(using: &random), other != inputs[0] { inputs.append(other) }
    readers.append(Reader(id: id, inputs: inputs, salt: 0, lossy: place == 3 ? Int.random(in: 1...2000, using: &random) : nil))
  }

  /// All readers, with those of the stages, so that every output is read.
  var allReaders: [Reader] { readers + stages.map { Reader(id: "of_\($0.id)", inputs: [$0.id], salt: 0) } }

  /// The configuration; `more` are further sinks.
  func yaml(rate: Int, more: String = "") -> String {
    var text = "sources:\n  numbers: { plugin: numbers, rate: \(rate) }\n"
    if hasTocks { text += "  tocks: { plugin: tocks }\n" }
    text += "processors:\n  \(stamp): { plugin: stage, inputs: [numbers], mark: \(round) }\n"
    for stage in stages {
      text += "  \(stage.id): { plugin: stage, inputs: [\(stage.input)], mark: \(stage.mark), every: \(stage.every), "
      text += "output: { capacity: \(stage.capacity) } }\n"
    }
    text += "sinks:\n  cuts: { plugin: cuts, inputs: [\(stamp)] }\n"
    if hasTocks { text += "  tick: { plugin: reader, inputs: [tocks] }\n" }
    for reader in allReaders {
      let inputs = reader.inputs.map { from in reader.lossy.map { "{ from: \(from), overflow: drop_oldest, capacity: \($0) }" } ?? from }
      text += "  \(reader.id): { plugin: reader, inputs: [\(inputs.joined(separator: ", "))], salt: \(reader.salt) }\n"
    }
    return text + more
  }
}

/// What is wrong with a text that has to be refused, and what its refusal says.
enum Flaw: CaseIterable {
  case brokenText, unknownPlugin, unknownOption, unknownInput, sinkAsInput, anotherRun, failingStart

  func text(_ desk: Desk, rate: Int) -> String {
    switch self {
    case .brokenText: desk.yaml(rate: rate, more: "  broken: { plugin: reader, inputs: [numbers\n")
    case .unknownPlugin: desk.yaml(rate: rate, more: "  broken: { plugin: raeder, inputs: [numbers] }\n")
    case .unknownOption: desk.yaml(rate: rate, more: "  broken: { plugin: reader, inputs: [numbers], slat: 1 }\n")
    case .unknownInput: desk.yaml(rate: rate, more: "  broken: { plugin: reader, inputs: [nubmers] }\n")
    case .sinkAsInput: desk.yaml(rate: rate, more: "  broken: { plugin: reader, inputs: [broken] }\n")
    case .anotherRun: desk.yaml(rate: rate, more: "runtime: { seed: 7 }\n")
    case .failingStart: desk.yaml(rate: rate, more: "  broken: { plugin: reader, inputs: [numbers], fails: true }\n")
    }
  }

  var reason: String {
    switch self {
    case .brokenText: "plugins.yaml:"
    case .unknownPlugin: "raeder"
    case .unknownOption: "slat"
    case .unknownInput: "nubmers"
    case .sinkAsInput: "broken"
    case .anotherRun: "'runtime'"
    case .failingStart: "it cannot start"
    }
  }
}
