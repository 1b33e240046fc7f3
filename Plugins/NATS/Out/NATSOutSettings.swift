internal import StockbusNetwork
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
    "How large the stream may become; then its oldest messages go. Without it there is no limit but the server's.", in: .mebibytes(1)...)
  var maxBytes: ByteSize?
  @Setting("How old messages may become.", in: .seconds(1)...)
  var maxAge: Duration?

  init() {}
}

struct NATSOutSettings: Options {
  @Setting("The servers, of which one at a time is used: nats://host:4222, or tls://host:4222.", count: 1...64)
  var servers: [NATSAddress]
  @Setting("How the servers let us in.")
  var login = NATSLogin()
  @Setting("The JetStream stream that keeps the messages. Without it they go to whoever listens at the moment.")
  var stream: String?
  @Setting("The messages' subject; {partition} or {symbol} in it stands for the event's.", length: 1...)
  var subject: String
  @Setting("How many partitions the symbols are spread over; for {partition}.", in: 1...1024)
  var partitions: Int?
  @Setting(
    "What a run that is started again brings: live, other events; replay, the same again, of which those in the stream are passed over.")
  var input = InputKind.live
  @Setting(
    "Fields that tell an event from all others; messages then carry an id of them, and several writers may fill the stream.", count: 1...8)
  var ids: [String]?
  @Setting(
    "Packs up to so many events of a subject into a message, in a binary form. Without it each event is a message, in JSON.", in: 1...65_536
  )
  var batch: Int?
  @Setting(
    "How long events gather for the next messages, once some were sent; for 'batch'. Without it as long as those take.",
    in: .zero ... .seconds(10))
  var linger = Duration.zero
  @Setting("Makes the stream, if it is not there.")
  var create: StreamCreation?
  @Setting("How many messages may be on their way at a time.", in: 1...65_536)
  var inFlight = 1024
  @Setting("Takes servers before 2.10.23 too, which can lose acknowledged messages.")
  var oldServers = false
  @Setting("How the connection is kept.")
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
      problems.add("'partitions' is of use only with {partition} in 'subject'", at: "partitions")
    }
    if let stream, let fault = streamFault(stream) { problems.add("'stream' \(fault)", at: "stream") }
    if stream == nil {
      if ids != nil { problems.add("'ids' needs a 'stream'", at: "ids") }
      if create != nil { problems.add("'create' needs a 'stream'", at: "create") }
      if input == .replay { problems.add("'input: replay' needs a 'stream', whose last message says where to go on", at: "input") }
    }
    if batch != nil {
      if template.kind == .symbol {
        problems.add("'batch' and {symbol} exclude each other: a message has events of one subject", at: "batch")
      }
      if ids != nil { problems.add("'batch' and 'ids' exclude each other: an id tells one event", at: "batch") }
    } else if linger > .zero {
      problems.add("'linger' is of use only with 'batch'", at: "linger")
    }
    if ids != nil, input == .replay { problems.add("'ids' and 'input: replay' exclude each other", at: "ids") }
  }
}
