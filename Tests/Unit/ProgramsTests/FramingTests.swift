import Programs
import StockbusTestKit
import Testing

/// Programs that speak in frames.
@Suite(.timeLimit(.minutes(15))) struct FramingTests {
  private let scripts = Scripts()
  private let harness = PluginHarness()

  /// A program for Perl, which every system has: what it does with `$content`, the content of a frame of events whose last one is `$last`.
  private func program(_ events: String = #"frame(2, ("\0" x 8) . substr($content, 8)); frame(1, "{\"done\":$last}");"#) -> String {
    #"""
    binmode STDIN; binmode STDOUT; $| = 1;
    sub frame { print pack("V", 1 + length $_[1]) . chr($_[0]) . $_[1] }
    my $hello = <STDIN>;
    print "{\"hello\":1,\"framing\":\"binary\"}\n";
    while (read(STDIN, my $head, 5) == 5) {
      my ($size, $kind) = unpack("VC", $head);
      my $content = "";
      read(STDIN, $content, $size - 1);
      if ($kind == 2) { my $last = unpack("V", $content); EVENTS }
      elsif ($content =~ /^\{"start"/) { frame(1, "{\"ready\":true}") }
      elsif ($content =~ /^\{"command":"(.*)"/) { frame(1, "{\"reply\":\"did $1\"}") }
      elsif ($content =~ /^\{"(drain|hand_over)"/) { frame(1, "{\"drained\":true}") }
    }
    """#.replacing("EVENTS", with: events)
  }

  private func options(_ program: String) -> String {
    scripts.folder.put(program, in: "program.pl")
    return "run: [perl, \(scripts.folder.file("program.pl"))]"
  }

  @Test func `events go through a program unchanged and in order, each symbol's name once`() async throws {
    var events = trades(2500)
    for i in events.indices where i % 7 == 3 { events[i].symbol = try Symbol("S\(i % 40)") }
    #expect(try await harness.output(of: Plugin.programProcessor, options: options(program()), inputs: [events]) == events)
  }

  @Test func `a sink's program is told that it has all, and commands are answered`() async throws {
    let running: RunningPlugin<Trade> = try harness.start(
      Plugin.programProcessor, options: options(program()), taking: Trade.self, emitting: Trade.self)
    #expect(try await running.perform("send it") == "did it")
    try await running.send(trades(300))
    #expect(await running.output(count: 300) == trades(300))
    #expect(try await running.perform("send it again") == "did it again")
    try await running.stop()
    try await harness.consume([trades(3000)], by: Plugin.programSink, options: options(program(#"frame(1, "{\"done\":$last}");"#)))
  }

  @Test(arguments: [
    (#"frame(3, "x");"#, "the program sends a frame of unknown kind 3"),
    (#"print pack("V", 0);"#, "the program sends a frame of unknown kind 0"),
    (#"print pack("V", 2000000);"#, "the program sends a message of more than 1 MiB"),
    (#"frame(2, "1234567");"#, "the program sends events without a sequence number"),
    (#"frame(2, "12345678");"#, "the program sends bad packed events of trade: the batch ends too early at byte 1"),
    (#"frame(2, $content . "x");"#, "the program sends bad packed events of trade: 3 events cannot have "),
    (#"frame(1, "{\"done\":4}");"#, "the program reports event 4 as done; 3 events were sent to it, and 0 were done before"),
    (#"frame(1, "nonsense");"#, "the program sends an invalid message: byte 1: a value is expected, in 'nonsense'"),
    (#"print "ab"; exit 3;"#, "the program ended with status 3"),
  ])
  func `frames that break the rules end the program with the reason`(_ what: (does: String, error: String)) async {
    do {
      let _: [Trade] = try await harness.output(
        of: Plugin.programProcessor, options: options(program(what.does)), inputs: [trades(3)])
      Issue.record("nothing is wrong")
    } catch { #expect("\(error)".hasPrefix(what.error), "\(error)") }
  }

  @Test func `a framing that nobody knows is an error`() async {
    let script = scripts.program(hello: #"say '{"hello":1,"framing":"xml"}'"#)
    do {
      let _: [Trade] = try await harness.output(of: Plugin.programProcessor, options: scripts.options(script), inputs: [trades(1)])
      Issue.record("xml is known")
    } catch { #expect("\(error)" == #"the program needs the framing '"xml"'; this stockbus supports lines and binary"#) }
  }
}
