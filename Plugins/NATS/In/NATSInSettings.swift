internal import StockbusPlugin

/// Where reading a stream begins.
enum ReadingStart: String, Choice {
  case new, all, lastPerSubject = "last_per_subject"
}

struct NATSInSettings: Options {
  @Setting("The servers, one of which is used at a time: nats://host:4222, or tls://host:4222.", count: 1...64)
  var servers: [NATSAddress]
  @Setting("The login for the servers.")
  var login = NATSLogin()
  @Setting("The type of the events in the messages; 'describe' lists the types.")
  var event = EventName(Trade.self)
  @Setting(
    "The columns to read beside the events, with their kinds, such as { vwap: number, away: percent }. Others are left out; one that a message lacks has no value.",
    count: 0...64)
  var extraColumns: ExtraColumns = [:]
  @Setting("The JetStream stream to read. Without it, only messages that are published while the run is subscribed are received.")
  var stream: String?
  @Setting(
    "The subject to read, with * and > as wildcards, and {partition} for each of 'partitions'. By default the whole stream.",
    length: 1...)
  var subject: String?
  @Setting("The partitions to read; they replace {partition} in 'subject'.", in: 0...1023, count: 1...1024)
  var partitions: [Int]?
  @Setting("Where to begin: new (messages published from now on), all, or last_per_subject (the last message of each subject).")
  var start = ReadingStart.all
  @Setting("The sequence number of the first message to read, instead of 'start'.", in: 1...)
  var sequence: Int?
  @Setting("The time of the first message to read, instead of 'start'.")
  var time: Timestamp?
  @Setting(
    "The name under which the server keeps the position of the reader, so that the next run continues there. A name has one reader at a time."
  )
  var durable: String?
  @Setting("Subscribers with the same queue share the messages; only without a 'stream'.", length: 1...64)
  var queue: String?
  @Setting("Allows servers before 2.10.23, which can lose acknowledged messages.")
  var oldServers = false
  @Setting("Deadlines and limits of the connection.")
  var connection = NATSSettings()

  init() {}

  var files: [FileUse] { login.files.map { $0.inside("login") } + connection.files.map { $0.inside("connection") } }

  /// The subjects to read; none for the whole stream.
  var subjects: [String] {
    guard let subject else { return [] }
    let template = SubjectTemplate(subject)
    guard template.kind == .partition, let partitions else { return [template.pattern] }
    return Set(partitions).sorted().map { template.subject(partition: $0) }
  }

  /// True if a reader with these options continues where one with the options `before` ended: both read one stream, and the options do not
  /// set a new beginning.
  func continues(after before: NATSInSettings) -> Bool {
    stream == before.stream && !Set(servers).isDisjoint(with: before.servers) && start == before.start && sequence == before.sequence
      && time == before.time && durable == before.durable
  }

  func validate(_ problems: inout OptionProblems) {
    if let subject {
      let template = SubjectTemplate(subject)
      if let fault = template.fault(wildcards: true) { problems.add("'subject': \(fault)", at: "subject") }
      if template.kind != .partition, partitions != nil {
        problems.add("'partitions' needs {partition} in 'subject'", at: "partitions")
      }
    } else if partitions != nil {
      problems.add("'partitions' needs a 'subject' with {partition}", at: "partitions")
    }
    if let stream {
      if let fault = streamFault(stream) { problems.add("'stream' \(fault)", at: "stream") }
      if queue != nil { problems.add("'queue' is allowed only without a 'stream'", at: "queue") }
    } else {
      if subject == nil { problems.add("a 'stream' or a 'subject' is needed", at: nil) }
      for (name, isGiven) in [("durable", durable != nil), ("sequence", sequence != nil), ("time", time != nil)] where isGiven {
        problems.add("'\(name)' needs a 'stream'", at: name)
      }
    }
    if let durable, let fault = streamFault(durable) { problems.add("'durable' \(fault)", at: "durable") }
    if sequence != nil, time != nil { problems.add("'sequence' and 'time' exclude each other", at: "time") }
    if let queue, NATSSubject.fault(queue, wildcards: false) != nil { problems.add("'queue' must be one word", at: "queue") }
  }
}
