import Glibc
import MarketData
import StockbusNetwork
import StockbusPlugin
import StockbusProcesses
import StockbusTestKit
import StockbusText
import Testing

@testable import NotificationDispatcher

@Suite(.timeLimit(.minutes(15))) struct ChannelTests {
  private let folder = TemporaryFolder()

  /// Writes an executable script for the test.
  private func script(_ name: String, _ text: String) -> String {
    folder.put("#!/bin/sh\n" + text, in: name)
    makeExecutable(folder.file(name))
    return folder.file(name)
  }

  private func command(_ run: [String], _ change: (inout CommandSettings) -> Void = { _ in }) throws -> CommandChannel {
    var options = CommandSettings()
    options.run = run
    change(&options)
    return try CommandChannel(options, "program", tools(programs: SystemPrograms()))
  }

  @Test func `a program gets its arguments as they are, without a shell`() async throws {
    let program = script("show", #"printf '<%s>' "$@" > "\#(folder.file("out"))""#)
    let channel = try command([program, "{symbol}", "{message}", "--", "{rule}; $(date)", "*"])
    #expect(await failure(of: channel, exampleNotification("it's `id` $HOME \"x\"\nline", rule: "-rf /")) == nil)
    #expect(folder.content("out") == "<AAPL><it's `id` $HOME \"x\"\nline><--><-rf /; $(date)><*>")
  }

  @Test func `no value becomes an option of a program`() async throws {
    let program = script("show", #"printf '<%s>' "$@" > "\#(folder.file("out"))""#)
    var alert = Alert.schema.example
    alert.symbol = "--file=/etc/passwd"
    alert.message = "-n\u{301}o"
    let hostile = Notification(alert, component: "alerts", number: 1)
    let refused = DeliveryError(
      "'--file=/etc/passwd' would be read as an option by the program; write -- before it, if the program supports that", isTransient: false
    )
    #expect(await failure(of: try command([program, "-t", "{symbol}"]), hostile) == refused)
    #expect(await failure(of: try command([program, "{symbol}: {message}"]), hostile)?.isTransient == false)
    #expect(await failure(of: try command([program, "{message}", "--"]), hostile)?.isTransient == false)
    #expect(!folder.names.contains("out"))
    // A value after other text, or after `--`, is not an option.
    #expect(await failure(of: try command([program, "--tag={symbol}", "--", "{symbol}"]), hostile) == nil)
    #expect(folder.content("out") == "<--tag=--file=/etc/passwd><--><--file=/etc/passwd>")
  }

  @Test func `a program sees a small environment and nothing of ours`() async throws {
    let program = script("env", "env | cut -d= -f1 | sort | tr '\\n' ' ' > '\(folder.file("out"))'; echo $MINE >> '\(folder.file("out"))'")
    let channel = try command([program]) { $0.environment = ["MINE": Secret("my own")] }
    #expect(await failure(of: channel, exampleNotification()) == nil)
    let names = Set(folder.content("out").split { $0 == " " || $0 == "\n" }.map(String.init))
    #expect(names.subtracting(["_", "PWD", "SHLVL", "OLDPWD"]) == ["PATH", "MINE", "my", "own"])
  }

  @Test func `a program's end decides, and its output is read and forgotten`() async throws {
    #expect(
      await failure(of: try command([script("fail", "exit 3")]), exampleNotification())
        == DeliveryError("fail ended with status 3", isTransient: true))
    #expect(
      await failure(of: try command([script("die", "kill -9 $$")]), exampleNotification())
        == DeliveryError("die ended by signal 9", isTransient: true))
    #expect(await failure(of: try command([script("loud", "head -c 3000000 /dev/zero; exit 0")]), exampleNotification()) == nil)
    folder.put("not a program", in: "text")
    makeExecutable(folder.file("text"))
    #expect(
      await failure(of: try command([folder.file("text")]), exampleNotification())
        == DeliveryError("text could not be started", isTransient: false))
  }

  @Test func `a program that takes too long is killed, with what it has started`() async throws {
    let clock = ManualTimekeeper()
    let program = script("slow", "echo begun > '\(folder.file("begun"))'; sleep 1000 & wait")
    var options = CommandSettings()
    options.run = [program]
    options.timeout = .seconds(30)
    let channel = try CommandChannel(options, "program", tools(clock, programs: SystemPrograms()))
    async let error = failure(of: channel, exampleNotification())
    while !folder.names.contains("begun") { await Task.yield() }
    await clock.pass(exactly: .seconds(30))
    #expect(await error == DeliveryError("slow was killed after 30s", isTransient: true))
  }

  @Test func `a program and what it has started end when the process does`() async throws {
    makePipe(folder.file("living"))
    let program = script("slow", "exec 9> '\(folder.file("living"))'; echo begun >&9; sleep 1000 & wait")
    let lifeline = Lifeline()
    let programs = SystemPrograms(lifeline)
    let call = ProgramCall(program, [], environment: ["PATH": "/usr/bin:/bin"], timeout: .seconds(1000))
    let clock = ManualTimekeeper()
    async let result = programs.run(call, clock: clock)
    let reader = PipeReader(folder.file("living"))
    #expect(await reader.line() == "begun")
    // Does what the kernel does with the pipe when a process is killed.
    lifeline.cut()
    // The end of the pipe: no process is left that could write into it.
    #expect(await reader.line() == nil)
    let end = try await result
    #expect(end == .killed(signal: 9))
    // The next program is watched again. A program that has ended is forgotten, and what it leaves running is not killed.
    let leaver = script(
      "leaver", "exec 9> '\(folder.file("living"))'; (read line < '\(folder.file("go"))'; echo later >&9) </dev/null >/dev/null 2>&1 &")
    makePipe(folder.file("go"))
    let second = PipeReader(folder.file("living"))
    async let later = second.line()
    let left = try await programs.run(
      ProgramCall(leaver, [], environment: ["PATH": "/usr/bin:/bin"], timeout: .seconds(1000)), clock: clock)
    #expect(left == .exited(0))
    lifeline.cut()
    try await PipeReader.write("now\n", to: folder.file("go"))
    #expect(await later == "later")
  }

  /// More than a pipe holds, so that it is not all written when the program ends or is stopped.
  @Test func `a program need not read its input, and may be stopped meanwhile`() async throws {
    // As the program does.
    signal(SIGPIPE, SIG_IGN)
    let (programs, clock) = (SystemPrograms(), ManualTimekeeper())
    func call(_ program: String) -> ProgramCall {
      ProgramCall(
        program, [], environment: ["PATH": "/usr/bin:/bin"], input: [UInt8](repeating: 65, count: 1 << 20), timeout: .seconds(1000))
    }
    let brief = call(script("brief", "exec 0<&-; exit 3"))
    #expect(try await programs.run(brief, clock: clock) == .exited(3))
    let deaf = call(script("deaf", "echo begun > '\(folder.file("begun"))'; exec sleep 1000"))
    let running = Task { try await programs.run(deaf, clock: clock) }
    while !folder.names.contains("begun") { await Task.yield() }
    running.cancel()
    await #expect(throws: ProgramFailure.cancelled) { try await running.value }
    // Stopped at any moment of its start.
    for pauses in 0..<100 {
      let begun = Task { try await programs.run(brief, clock: clock) }
      for _ in 0..<pauses { await Task.yield() }
      begun.cancel()
      _ = try? await begun.value
    }
  }

  @Test func `a desktop notification escapes its text and comes from nobody's shell`() async throws {
    let path = script("notify-send", "exit 0")
    let programs = ScriptedPrograms()
    let environment = ["PATH": folder.path, "DISPLAY": ":0", "AWS_SECRET": "s3cret"]
    let channel = try DesktopChannel(DesktopSettings(), tools(programs: programs, environment: environment))
    #expect(await failure(of: channel, exampleNotification("a <b> & c\u{1b}[31m", rule: "--help", isUrgent: true)) == nil)
    let call = try #require(programs.calls.value.first)
    #expect(call.program == path)
    #expect(call.arguments == ["--app-name=stockbus", "--urgency=critical", "--", "--help", "a &lt;b&gt; &amp; c\\u{1b}[31m"])
    #expect(call.environment == ["PATH": folder.path, "DISPLAY": ":0"])
    #expect(throws: ChannelOff.self) { try DesktopChannel(DesktopSettings(), tools(environment: ["PATH": "/nowhere"])) }
  }

  @Test func `a mail is handed to sendmail whole`() async throws {
    let program = script("sendmail", "printf '%s\\n' \"$@\" > '\(folder.file("arguments"))'; cat > '\(folder.file("mail"))'")
    var options = EmailSettings()
    options.to = ["ann@example.com", "bob@example.org"]
    options.from = "stockbus@example.com"
    options.subject = "{rule}: {message}"
    options.program = program
    let channel = try EmailChannel(options, "mail", tools(programs: SystemPrograms()))
    let notification = exampleNotification()
    #expect(await failure(of: channel, notification) == nil)
    #expect(folder.content("arguments") == "-i\n-f\nstockbus@example.com\n--\nann@example.com\nbob@example.org\n")
    let parts = folder.content("mail").split(separator: "\n\n", maxSplits: 1).map(String.init)
    #expect(
      parts[0] == """
        From: stockbus@example.com
        To: ann@example.com,
         bob@example.org
        Subject: AAPL above 200: AAPL rose to 200.10
        Date: Tue, 08 Oct 2013 13:30:00 +0000
        Message-ID: <\(notification.id)@stockbus.invalid>
        Auto-Submitted: auto-generated
        MIME-Version: 1.0
        Content-Type: text/plain; charset=utf-8
        Content-Transfer-Encoding: base64
        """)
    let body = Base64.decode(parts[1].filter { $0 != "\n" }).map { String(decoding: $0, as: UTF8.self) }
    #expect(
      body == """
        AAPL rose to 200.10

        Rule:   AAPL above 200
        Symbol: AAPL
        Price:  200.10
        Time:   2013-10-08T13:30:00.012Z
        Alert:  \(notification.id)

        """)
  }

  @Test func `no subject can become a header of its own`() {
    let mail = MailMessage(
      from: "a@example.com", to: ["b@example.com"], subject: "hi\r\nBcc: evil@example.com\u{85}", body: "", id: "1",
      date: Timestamp(ns: 0))
    let lines = mail.text.split(separator: "\n")
    #expect(!lines.contains { $0.hasPrefix("Bcc") })
    #expect(lines.contains("Subject: hi  Bcc: evil@example.com "))
    #expect(lines.contains("Date: Thu, 01 Jan 1970 00:00:00 +0000"))
  }

  @Test func `a subject beyond ASCII becomes words of RFC 2047, none too long`() {
    let text = String(repeating: "Kurs über 200 € ", count: 10)
    let words = MailMessage.encoded(text).split(separator: "\n ")
    #expect(words.count > 3)
    #expect(words.allSatisfy { $0.utf8.count <= 75 && $0.hasPrefix("=?utf-8?B?") && $0.hasSuffix("?=") })
    let decoded = words.compactMap { Base64.decode(String($0.dropFirst(10).dropLast(2))) }.map { String(decoding: $0, as: UTF8.self) }
    #expect(decoded.joined() == text)
    #expect(MailMessage.encoded("plain = fine?") == "plain = fine?")
  }

  @Test(arguments: [
    "", "a", "a@", "@b", "a@b@c", "a b@c", "a\n@b", "-oX@b", "a<b@c", "a,b@c", "\"a\"@b",
  ])
  func `what is no mail address is refused`(text: String) { #expect(MailAddress.fault(in: text) != nil) }

  @Test func `a ntfy message has everything in its body, and its token in a header`() async throws {
    let transport = ScriptedTransport { _ in .success(HTTPResponse(status: 200)) }
    var options = NtfySettings()
    options.server = "https://ntfy.example.com"
    options.topic = Secret("my-topic")
    options.token = Secret("tk_1")
    options.tags = ["chart"]
    let channel = try NtfyChannel(options, tools(transport: transport))
    #expect(await failure(of: channel, exampleNotification("line\r\nX-Evil: 1")) == nil)
    let request = try #require(transport.requests.value.first)
    #expect(
      String(decoding: request.body, as: UTF8.self)
        == #"{"topic":"my-topic","title":"AAPL above 200","message":"line\r\nX-Evil: 1","priority":3,"tags":["chart"]}"#)
    #expect(request.fields["authorization"] == "Bearer tk_1")
  }

  @Test func `templates fill in names, leave other braces alone and refuse unknown names`() throws {
    let template = try NotificationTemplate("{symbol}{price} {} {\"a\"} {2} {{rule}} {unclosed", ["symbol", "price", "rule"])
    #expect(template.filled(["symbol": "A{rule}", "price": "1", "rule": "r"]) == "A{rule}1 {} {\"a\"} {2} {r} {unclosed")
    do {
      _ = try NotificationTemplate("{symbl}", ["symbol"])
      Issue.record("accepted")
    } catch { #expect("\(error)" == "there is no placeholder {symbl}; did you mean {symbol}?") }
  }
}
