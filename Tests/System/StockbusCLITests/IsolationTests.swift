import Foundation
import TestSupport
import Testing

/// The program with the plugins that misbehave.
let wildProgram = ProgramTests.program.map { $0.deletingLastPathComponent().appending(path: "WildPlugins") }
  .flatMap { FileManager.default.isExecutableFile(atPath: $0.path) ? $0 : nil }

/// Components in processes of their own: a program whose plugins misbehave, run as from a shell. What the same plugin does in the process
/// of the run is what it has to do in its own.
@Suite(.enabled(if: wildProgram != nil, "the program was not built"), .timeLimit(.minutes(15)))
struct IsolationTests {
  private let workshop = Workshop()

  /// Its time is so long that no process is killed because the machine is busy.
  private static let patient = "isolation: { timeout: 60s }"

  private func run(_ text: String, _ arguments: [String] = ["run"]) throws -> (status: Int32, output: String, errors: String) {
    for file in ["out.csv", "letters.jsonl"] { try? FileManager.default.removeItem(atPath: workshop.file(file)) }
    workshop.put(text, in: "wild.yaml")
    return try ProgramTests.run(
      arguments + ["wild.yaml"], of: wildProgram, in: URL(filePath: workshop.path),
      environment: ["HOME": workshop.path, "PATH": "/usr/bin:/bin"])
  }

  /// A pipeline of a counting source, the processor and a file, with the dead letters in another.
  private func pipeline(_ wild: String, source: String = "", sink: String = "") -> String {
    """
    sources:
      ticks: { plugin: wild_source, count: 1000\(source) }
    processors:
      mine: { plugin: wild, inputs: [ticks]\(wild) }
    sinks:
      out: { plugin: file_writer, inputs: [mine], path: out.csv\(sink) }
      letters: { plugin: file_writer, inputs: [dead_letters], path: letters.jsonl }
    """
  }

  private func sizes() throws -> [Int] {
    let lines = workshop.text("out.csv").split(separator: "\n").dropFirst()
    return lines.compactMap { Int($0.split(separator: ",")[2]) }
  }

  @Test func `the output is the same, byte for byte, whichever components have processes of their own`() throws {
    #expect(try run(pipeline("")).status == 0)
    let expected = workshop.text("out.csv")
    #expect(expected.split(separator: "\n").count == 1001)
    let process = ", \(Self.patient)"
    for (wild, source, sink) in [(process, "", ""), ("", process, ""), ("", "", process), (process, process, process)] {
      let result = try run(pipeline(wild, source: source, sink: sink))
      #expect(result.status == 0, "\(result)")
      #expect(workshop.text("out.csv") == expected, "differs")
      #expect(result.errors.contains("balanced: every event is accounted for"), "\(result)")
    }
  }

  @Test func `columns go into processes and come out of them, also where an event kills one`() throws {
    func lines(_ deed: String, _ isolation: String) throws -> [Substring] {
      let result = try run(
        """
        sources: { ticks: { plugin: wild_source, count: 1000, numbers: true\(isolation) } }
        processors:
          marked: { plugin: derive, inputs: [ticks], columns: { mean: "sma(size, 20)", even: "sma(size, 20) > 500" }\(isolation) }
          mine: { plugin: wild, inputs: [marked]\(deed)\(isolation) }
          more: { plugin: derive, inputs: [mine], columns: { twice: 2 * mean, mean: even }\(isolation) }
        sinks: { out: { plugin: file_writer, inputs: [more], path: out.csv\(isolation) } }
        """)
      #expect(result.status == 0 && result.errors.contains("balanced: every event is accounted for"), "\(result)")
      return workshop.text("out.csv").split(separator: "\n")
    }
    let inside = try lines("", "")
    #expect(inside.count == 1001 && inside[0].hasSuffix(",condition,number,mean,even,twice"))
    // The sizes are 1 to 1000: 20 of them until 519 have the mean 509.5.
    #expect(inside[1].hasSuffix(",,1,,,") && inside[519].hasSuffix(",,,true,true,1019"), "\(inside[1]) \(inside[519])")
    #expect(try lines("", ", \(Self.patient)") == inside)
    #expect(try lines(", deed: trap, at: 700", ", \(Self.patient)") == Array(inside[..<700]) + Array(inside[701...]))
  }

  @Test func `random numbers are those of the same component in the process of the run`() throws {
    func prices(_ isolation: String) throws -> [Substring] {
      let text = """
        runtime: { seed: 7 }
        sources: { ticks: { plugin: generator, symbols: 5, count: 500, rate: max\(isolation) } }
        sinks: { out: { plugin: file_writer, inputs: [ticks], path: out.csv } }
        """
      #expect(try run(text).status == 0)
      return workshop.text("out.csv").split(separator: "\n").map { line in
        line.prefix { $0 != "T" }
      }
    }
    let inside = try prices("").map { $0.split(separator: ",").prefix(3).joined(separator: ",") }
    let outside = try prices(", isolation: process").map { $0.split(separator: ",").prefix(3).joined(separator: ",") }
    #expect(inside.count == 501 && inside == outside)
  }

  @Test(arguments: ["trap", "exit", "throw"])
  func `an event that kills the process is set aside, and all others come through once`(_ deed: String) throws {
    let result = try run(pipeline(", deed: \(deed), at: 700, \(Self.patient)"))
    #expect(result.status == 0, "\(result)")
    #expect(try sizes() == Array(1...699) + Array(701...1000), "\(result)")
    let letters = workshop.text("letters.jsonl")
    #expect(letters.split(separator: "\n").count == 1)
    #expect(letters.contains(#""component":"mine","origin":"ticks""#), "\(letters)")
    #expect(result.errors.contains("balanced: every event is accounted for"), "\(result)")
  }

  @Test func `the same event in the process of the run kills the run`() throws {
    let result = try run(pipeline(", deed: trap, at: 700"))
    #expect(result.status != 0 && result.errors.contains("it traps"), "\(result)")
  }

  // The unit tests of Programs have the exact time, by their own clock; here it is so long that a busy machine does not matter.
  @Test func `a process that hangs is killed after its time`() throws {
    let result = try run(pipeline(", deed: hang, at: 700, isolation: { timeout: 15s }"))
    #expect(result.status == 0, "\(result)")
    #expect(try sizes() == Array(1...699) + Array(701...1000), "\(result)")
    #expect(result.errors.contains("has not answered for 15s"), "\(result)")
  }

  @Test func `a process that takes more memory than it may is survived`() throws {
    let result = try run(pipeline(", deed: memory, at: 700, isolation: { timeout: 60s, limits: { memory: 4GiB } }"))
    #expect(result.status == 0, "\(result)")
    #expect(try sizes() == Array(1...699) + Array(701...1000), "\(result)")
  }

  @Test func `a flood on standard error is cut, and what is printed is no message`() throws {
    for deed in ["flood", "print"] {
      let result = try run(pipeline(", deed: \(deed), at: 700, \(Self.patient)"))
      #expect(result.status == 0, "\(result)")
      #expect(try sizes() == Array(1...1000))
      #expect(result.errors.split(separator: "\n").count < 150)
      if deed == "print" { #expect(result.errors.contains("mine: what it prints is no message"), "\(result)") }
    }
  }

  @Test func `a process that leaves another one running ends all the same`() throws {
    let result = try run(pipeline(", deed: fork, at: 700, isolation: { timeout: 5s }"))
    #expect(try sizes() == Array(1...1000), "\(result)")
    let id = try #require(result.errors.split(separator: "\n").compactMap { $0.split(separator: "forked ").dropFirst().first }.first)
    #expect(kill(try #require(Int32(id)), SIGKILL) == 0)
  }

  @Test func `a process that cannot start fails by its policy, and the others go on`() throws {
    let result = try run(pipeline(", deed: trap, when: start, supervision: { restarts: 2, backoff: 1ms }, \(Self.patient)"))
    #expect(result.status == 1, "\(result)")
    #expect(result.errors.contains("mine") && result.errors.contains("ended by signal"), "\(result)")
  }

  @Test(arguments: ["drain", "stop"])
  func `a process that traps at its end is told`(_ when: String) throws {
    let result = try run(pipeline(", deed: trap, when: \(when), \(Self.patient)"))
    #expect(try sizes() == Array(1...1000), "\(result)")
    #expect(result.errors.contains("it traps"), "\(result)")
    #expect(result.status == 1, "\(result)")
  }

  @Test func `a source that fails and has remembered something does not send again what it has sent`() throws {
    // What is on its way to the host when it fails is not published; if that is everything, it begins again.
    let policy = "supervision: { restarts: 1000000, backoff: 1ms, max_backoff: 1ms }"
    let result = try run(pipeline("", source: ", deed: trap, at: 500, remembers: true, \(policy), \(Self.patient)"))
    #expect(result.status == 1)
    let sent = try sizes()
    #expect(sent == Array(1..<(1 + sent.count)) && sent.count < 500, "\(result)")
    #expect(result.errors.contains("its position in the input is lost, so it is not started again"), "\(result)")
  }

  @Test func `what a process remembered is gone with it, and that is told`() throws {
    let result = try run(pipeline(", deed: trap, at: 700, remembers: true, \(Self.patient)"))
    #expect(result.status == 0, "\(result)")
    #expect(try sizes() == Array(1...699) + Array(701...1000), "\(result)")
    #expect(result.errors.contains("mine: the state of the process is lost; the next process starts without it"), "\(result)")
  }

  @Test func `a process that never drains is killed after its time`() throws {
    let result = try run(pipeline(", deed: hang, when: drain, isolation: { timeout: 15s }"))
    #expect(result.status == 1, "\(result)")
    #expect(try sizes() == Array(1...1000))
    #expect(result.errors.contains("mine") && result.errors.contains("has not answered for 15s"), "\(result)")
  }

  @Test func `what a plugin has lost, and its notes, are in the report`() throws {
    let lost = try run(pipeline(", deed: lose, at: 700, \(Self.patient)"))
    #expect(lost.status == 1 && lost.errors.contains("LOST"), "\(lost)")
    #expect(lost.errors.contains("the disk is full"), "\(lost)")
    let note = try run(pipeline(", deed: note, at: 700, \(Self.patient)"))
    #expect(note.status == 0 && note.errors.contains("mine: it was here"), "\(note)")
  }

  @Test func `what cannot be isolated is told with its place`() throws {
    func told(_ text: String) throws -> [Substring] {
      let result = try run(text, ["validate"])
      #expect(result.status == 78)
      return result.errors.split(separator: "\n").dropLast()
    }
    let place = "wild.yaml:4:"
    #expect(
      try told(pipeline(", isolation: thread")) == [
        "\(place)53: error: processor 'mine': 'isolation' must be process, none, or a mapping of the process's options, got 'thread'"
      ])
    #expect(
      try told(pipeline(", isolation: { timout: 3s }")) == [
        "\(place)55: error: processor 'mine': isolation: unknown option 'timout'; did you mean 'timeout'?"
      ])
    #expect(
      try told(pipeline(", isolaton: process")).first
        == "\(place)42: error: processor 'mine': unknown key 'isolaton'; did you mean 'isolation'?")
    let others = """
      sources: { ticks: { plugin: wild_source } }
      processors: { candles: { plugin: bars, inputs: [ticks], isolation: process } }
      sinks:
        screen: { plugin: flash_logger, inputs: [ticks], isolation: process }
        out: { plugin: file_writer, inputs: [candles], path: "-", isolation: process }
        cat: { plugin: program_sink, inputs: [ticks], run: [cat], isolation: process }
      """
    let cannot = "cannot run in its own process:"
    let problems = try told(others)
    for words in [
      "processor 'candles' \(cannot) bars depends on the run's time", "sink 'screen' \(cannot) flash_logger writes to the terminal",
      "sink 'out' \(cannot) it uses the standard streams", "sink 'cat' \(cannot) program_sink runs in its own process already",
    ] {
      #expect(problems.contains { $0.contains(words) }, "\(problems)")
    }
    // The options are checked before a process is started.
    #expect(try told(pipeline(", deed: dance, isolation: process")).map { $0.contains("'deed' must be") } == [true])
  }
}
