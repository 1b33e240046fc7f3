internal import StockbusPlugin

/// The kind of input that a restarted run gets.
enum InputKind: String, Choice {
  /// New events.
  case live
  /// The same events from the first one on.
  case replay
}

/// The settings with which a missing stream is created.
struct StreamCreation: Options {
  @Setting("How many servers hold each message.", in: 1...5)
  var replicas = 1
  @Setting(
    "The largest size of the stream; beyond it the oldest messages are deleted. By default only the server's limit applies.",
    in: .mebibytes(1)...)
  var maxBytes: ByteSize?
  @Setting("How long messages are kept.", in: .seconds(1)...)
  var maxAge: Duration?

  init() {}
}

struct NATSOutSettings: Options {
  @Setting("The servers, one of which is used at a time: nats://host:4222, or tls://host:4222.", count: 1...64)
  var servers: [NATSAddress]
  @Setting("The login for the servers.")
  var login = NATSLogin()
  @Setting("The JetStream stream that stores the messages. Without it, only present subscribers receive them.")
  var stream: String?
  @Setting("The messages' subject; {partition} or {symbol} in it is replaced by that of the event.", length: 1...)
  var subject: String
  @Setting("The number of partitions over which the symbols are distributed; needs {partition} in 'subject'.", in: 1...1024)
  var partitions: Int?
  @Setting(
    "What a restarted run sends: live (new events) or replay (the same events again; those already in the stream are skipped).")
  var input = InputKind.live
  @Setting(
    "Fields that together identify an event. They become the message id, so that several writers may publish to the stream.", count: 1...8)
  var ids: [String]?
  @Setting(
    "The most events of a subject that are packed into one message, in binary form. By default each event is a message in JSON.",
    in: 1...65_536
  )
  var batch: Int?
  @Setting(
    "How long events are collected for the next message after one was sent; needs 'batch'. By default until that one is acknowledged.",
    in: .zero ... .seconds(10))
  var linger = Duration.zero
  @Setting("Creates the stream if it does not exist.")
  var create: StreamCreation?
  @Setting("The most messages that may be unacknowledged at a time.", in: 1...65_536)
  var inFlight = 1024
  @Setting("Allows servers before 2.10.23, which can lose acknowledged messages.")
  var oldServers = false
  @Setting("Deadlines and limits of the connection.")
  var connection = NATSSettings()

  init() {}

  var files: [FileUse] { login.files.map { $0.inside("login") } + connection.files.map { $0.inside("connection") } }
  var template: SubjectTemplate { SubjectTemplate(subject) }

  func validate(_ problems: inout OptionProblems) {
    let template = template
    if let fault = template.fault(wildcards: false) { problems.add("'subject': \(fault)", at: "subject") }
    if template.kind == .partition, partitions == nil {
      problems.add("'subject' has {partition}, so 'partitions' is needed", at: "subject")
    }
    if template.kind != .partition, partitions != nil {
      problems.add("'partitions' needs {partition} in 'subject'", at: "partitions")
    }
    if let stream, let fault = streamFault(stream) { problems.add("'stream' \(fault)", at: "stream") }
    if stream == nil {
      if ids != nil { problems.add("'ids' needs a 'stream'", at: "ids") }
      if create != nil { problems.add("'create' needs a 'stream'", at: "create") }
      if input == .replay { problems.add("'input: replay' needs a 'stream', whose last message says where to continue", at: "input") }
    }
    if batch != nil {
      if template.kind == .symbol {
        problems.add("'batch' and {symbol} exclude each other: a message has events of one subject", at: "batch")
      }
      if ids != nil { problems.add("'batch' and 'ids' exclude each other: an id identifies one event", at: "batch") }
    } else if linger > .zero {
      problems.add("'linger' needs 'batch'", at: "linger")
    }
    if ids != nil, input == .replay { problems.add("'ids' and 'input: replay' exclude each other", at: "ids") }
  }
}
