import Foundation
import StockbusTestKit
import TestSupport
import Testing

/// The built program, run as from a shell.
@Suite struct ProgramTests {
  /// The program next to the bundle of the tests.
  static let program: URL? = {
    let beside = [Bundle.main.executableURL, CommandLine.arguments.first.map { URL(filePath: $0) }].compactMap {
      $0?.deletingLastPathComponent()
    }
    return beside.map { $0.appending(path: "stockbus") }.first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }()
  static let fixtures = Repository.fixtures

  private func run(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) { try Self.run(arguments) }

  /// The environment that a program built with a sanitizer needs, and nothing else.
  private static let sanitizers = ProcessInfo.processInfo.environment.filter { $0.key == "ASAN_OPTIONS" || $0.key == "TSAN_OPTIONS" }

  /// Runs the program to its end, in `folder`, without a terminal, and with these variables only.
  static func run(
    _ arguments: [String], of program: URL? = program, in folder: URL = fixtures, environment: [String: String] = [:],
    input: FileHandle = .nullDevice
  ) throws -> (status: Int32, output: String, errors: String) {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.environment = sanitizers.merging(environment) { first, _ in first }
    let (output, errors) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    // The output fits into the pipes' buffers, so one can be read after the other.
    let text = (output.fileHandleForReading.readDataToEndOfFile(), errors.fileHandleForReading.readDataToEndOfFile())
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: text.0, as: UTF8.self), String(decoding: text.1, as: UTF8.self))
  }

  @Test(.enabled(if: program != nil, "the program was not built"))
  func `validate exits with 78 and every problem on standard error`() throws {
    let result = try run("validate", "cli/wrong.yaml", "cli/absent.yaml")
    #expect(result.status == 78)
    #expect(result.output == "")
    #expect(
      result.errors == """
        cli/absent.yaml: error: no such file or folder
        cli/wrong.yaml:2:31: error: source 'ticks': unknown option 'intervall'; did you mean 'interval'?
        cli/wrong.yaml:4:29: error: sink 'end': unknown key 'input'; did you mean 'inputs'?
        3 problems

        """)
    #expect(try run("run", "cli/wrong.yaml").errors.hasSuffix("2 problems; nothing was started\n"))
  }

  @Test(
    .enabled(if: program != nil, "the program was not built"),
    arguments: [
      "everything.yaml", "syntax.yaml", "bad-utf8.yaml", "bomb.yaml", "empty.yaml", "unset.yaml", "no-yaml", "two-files", "absent",
    ])
  func `validate exits with 78 whatever is wrong`(name: String) throws {
    let result = try run("validate", "config/\(name)")
    #expect(result.status == 78)
    #expect(result.output == "")
    #expect(result.errors.hasPrefix("config/\(name)"))
  }

  @Test(.enabled(if: program != nil, "the program was not built"))
  func `a run to the end of its data exits with 0 and a balanced ledger`() throws {
    let result = try run("run", "--log-level", "error", "cli/right.yaml")
    #expect(result.status == 0)
    #expect(result.output == "")
    // The number of batches is not fixed.
    let lines = result.errors.split(separator: "\n").filter { !$0.hasPrefix("end: ") }
    #expect(
      lines.dropLast().joined(separator: "\n") == """
        edge            in  delivered
        ticks → end  1,000      1,000
        total        1,000      1,000
        balanced: every event is accounted for
        """)
    #expect(lines.last?.hasPrefix("1,000 events in ") == true && lines.last?.hasSuffix("/s") == true)
    #expect(try run("validate", "cli/right.yaml").output == "valid: 2 components, 1 edge\n")
    let quiet = try run("run", "--quiet", "--log-level", "error", "cli/right.yaml")
    #expect(quiet.status == 0 && quiet.errors == "")
  }

  @Test(
    .enabled(if: program != nil, "the program was not built"),
    arguments: ["{ plugin: file_writer, path: \"-\", inputs: [ticks] }", "{ plugin: console_viewer, inputs: [ticks] }"])
  func `when nobody reads standard output any more, a run ends well and says no error`(sink: String) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "stockbus-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let text =
      "sources: { ticks: { plugin: generator, rate: max, seed: 1 } }\nsinks: { out: \(sink), other: { plugin: null_sink, inputs: [ticks] } }\n"
    try Data(text.utf8).write(to: folder.appending(path: "endless.yaml"))
    let process = Process()
    process.executableURL = Self.program
    process.arguments = ["run", "endless.yaml"]
    process.currentDirectoryURL = folder
    process.environment = Self.sanitizers
    let (output, errors) = (Pipe(), Pipe())
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    #expect(try output.fileHandleForReading.read(upToCount: 10)?.count == 10)
    try output.fileHandleForReading.close()
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(!said.contains("error") && !said.contains("FAILED") && !said.contains("LOST"))
    #expect(said.contains("balanced"))
  }

  /// Runs the program in a shell with these arguments and redirections; `INPUT` is its input.
  private func shell(_ arguments: String, _ files: [String: String], input: String = "") throws -> (status: Int32, errors: String) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "stockbus-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "printf '%s' \"$INPUT\" | { \"$PROGRAM\" \(arguments); }"]
    process.currentDirectoryURL = folder
    process.environment = ["PROGRAM": Self.program?.path ?? "", "INPUT": input].merging(Self.sanitizers) { own, _ in own }
    let errors = Pipe()
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    try process.run()
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, said)
  }

  private static let reader = """
    sources:
      t: { plugin: file_replay, path: "-" }
    sinks:
      n: { plugin: null_sink, inputs: [t] }

    """

  @Test(.enabled(if: program != nil, "the program was not built"))
  func `standard input is for one: rows, commands or the configuration`() throws {
    let both = try shell("run x.yaml --commands -", ["x.yaml": Self.reader], input: "symbol,price,time\n")
    #expect(both.status == 78)
    #expect(
      both.errors == """
        x.yaml:2:35: error: source 't': 'path[0]': standard input cannot be read twice: commands are read from it (--commands)
        1 problem; nothing was started

        """)
    #expect(
      try shell("run -", [:], input: Self.reader).errors.contains(
        "/dev/stdin:2:35: error: source 't': 'path[0]': standard input cannot be read twice: it is a file of the configuration"))
    let generator = Self.reader.replacing("file_replay, path: \"-\"", with: "generator, rate: max, count: 10, seed: 1")
    #expect(try shell("run -", [:], input: generator).errors.contains("balanced"))
    #expect(try shell("run - --commands -", [:], input: generator).status == 78)
    // A pipe, or standard input, given by the number of its descriptor.
    let rows = "symbol,price,time\nAAPL,1,2020-01-01T00:00:00Z\n"
    #expect(try shell("run x.yaml", ["x.yaml": Self.reader], input: rows).errors.contains("1 event in "))
    let named = Self.reader.replacing("\"-\"", with: "/dev/stdin")
    #expect(try shell("run x.yaml", ["x.yaml": named], input: rows).errors.contains("1 event in "))
  }

  @Test(.enabled(if: program != nil, "the program was not built"))
  func `standard input that is closed is called so`() throws {
    let replay = try shell("run x.yaml <&-", ["x.yaml": Self.reader])
    #expect(replay.status == 1)
    #expect(replay.errors.contains("standard input: cannot be opened: it is closed, or not open for reading"))
    let commands = try shell("run x.yaml --commands - <&-", ["x.yaml": Self.reader])
    #expect(commands.status == 64)
    #expect(commands.errors.hasPrefix("Error: --commands -: standard input is closed\n"))
  }

  @Test(.enabled(if: program != nil, "the program was not built"))
  func `wrong usage exits with 64`() throws {
    #expect(try run("runn").status == 64)
    #expect(try run("describe", "nothing_like_it").status == 64)
    #expect(try run("describe", "--format", "json-schema", "trade").status == 64)
    #expect(try run("run", "--commands", "cli/absent", "cli/right.yaml").errors.hasPrefix("Error: --commands cli/absent: No such file"))
  }

  @Test(.enabled(if: program != nil, "the program was not built"))
  func `--version is one line`() throws {
    let result = try run("--version")
    #expect(result.status == 0 && result.errors == "")
    #expect(try result.output.wholeMatch(of: Regex(#"stockbus [0-9]+\.[0-9]+\.[0-9]+( \([^()\n]+\))?\n"#)) != nil, "\(result.output)")
  }

  @Test(.enabled(if: program != nil, "the program was not built"))
  func `print writes records and nothing else to standard output`() throws {
    let result = try run("print", "--once", "--format", "csv", "--fields", "symbol,price", "--where", "price > 450", "cli/right.yaml")
    #expect(result.status == 0 && result.errors == "")
    let lines = result.output.split(separator: "\n")
    #expect(lines.first == "symbol,price")
    #expect(lines.count > 1 && lines.dropFirst().allSatisfy { (Double($0.split(separator: ",")[1]) ?? 0) > 450 })
    #expect(try run("print", "--limit", "7", "--format", "json", "cli/right.yaml").output.split(separator: "\n").count == 7)
    let wrong = try run("print", "--where", "prise > 1", "cli/right.yaml")
    #expect(wrong.status == 64 && wrong.output == "")
    #expect(wrong.errors == "Error: --where\nprise > 1\n^~~~~ trade has no field 'prise'; did you mean 'price'?\n")
    #expect(try run("print", "--limit", "0", "cli/right.yaml").status == 64)
    #expect(try run("print", "--settle", "soon", "cli/right.yaml").status == 64)
    #expect(try run("print", "--after", "10s", "cli/right.yaml").errors.hasPrefix("Error: --after needs --once"))
    #expect(try run("print", "cli/wrong.yaml").status == 78)
  }

  #if os(Linux)
  @Test(
    .enabled(if: program != nil, "the program was not built"),
    arguments: [
      "list", "list --json", "describe", "describe filter", "describe trade", "schema", "validate right.yaml", "graph right.yaml",
      "graph --format dot right.yaml", "print --once right.yaml", "--help", "help run", "--version", "--generate-completion-script bash",
    ])
  func `a command that cannot write what it was asked for fails and says so`(command: String) throws {
    let right = try String(contentsOf: Self.fixtures.appending(path: "cli/right.yaml"), encoding: .utf8)
    let full = try shell("\(command) >/dev/full", ["right.yaml": right])
    #expect(full.status == 1)
    #expect(full.errors == "standard output: No space left on device\n")
  }

  @Test(.enabled(if: program != nil, "the program was not built"), arguments: ["list", "schema", "--help"])
  func `a reader that has gone ends a command quietly`(command: String) throws {
    #expect(try shell("\(command) | :", [:]).errors == "")
  }
  #endif

  @Test(
    .enabled(if: program != nil, "the program was not built"),
    arguments: [
      ("echo --port 99999", "'99999' is invalid for '--port <port>': write a whole number from 0 to 65535"),
      ("echo --port -1", "'-1' is invalid for '--port <port>': write a whole number from 0 to 65535"),
      ("echo --port 0 --cut-after -1", "write a whole number of at least 1"), ("echo --port 0 --delay -5ms", "'-5ms' is not a duration"),
      ("print --limit -1 x.yaml", "'-1' is invalid for '--limit <lines>': write a whole number of at least 1"),
      ("print --limit 1,000 x.yaml", "write a whole number of at least 1"),
      ("print --settle -1s x.yaml", "--settle must be a duration of at most a day such as 500ms, got '-1s'"),
    ])
  func `a number out of its range is answered with the range`(command: String, answer: String) throws {
    let result = try Self.run(command.split(separator: " ").map(String.init))
    #expect(result.status == 64)
    #expect(result.errors.contains(answer), "\(result.errors)")
  }

  @Test(.enabled(if: program != nil, "the program was not built"), arguments: ["run", "validate", "print"])
  func `data in place of a configuration is answered with how a configuration reads it`(command: String) throws {
    let result = try shell("\(command) ticks.csv", ["ticks.csv": "time,symbol,price\n1,A,2\n"])
    #expect(result.status == 78)
    #expect(
      result.errors.hasPrefix(
        "ticks.csv: error: is data, not a configuration; in a configuration a source reads it: "
          + "sources: { prices: { plugin: file_replay, path: ticks.csv } }\n"), "\(result.errors)")
  }

  @Test(.enabled(if: program != nil, "the program was not built"))
  func `a file is read from standard input from its first byte on`() throws {
    let folder = TemporaryFolder()
    folder.put("time,symbol,price,size\n2024-01-02T14:30:00Z,AAPL,100,1\n2024-01-02T14:31:00Z,AAPL,101,1\n", in: "rows.csv")
    folder.put(
      """
      sources: { rows: { plugin: file_replay, path: "-" } }
      sinks: { out: { plugin: file_writer, inputs: [rows], path: out.jsonl } }
      """, in: "run.yaml")
    let place = URL(filePath: folder.path)
    let input = try FileHandle(forReadingFrom: place.appending(path: "rows.csv"))
    #expect(try Self.run(["run", "run.yaml"], in: place, input: input).status == 0)
    #expect(folder.content("out.jsonl").split(separator: "\n").count == 2)
  }

  @Test(.enabled(if: program != nil, "the program was not built"))
  func `a run's log is JSON if asked for`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "stockbus-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let text = """
      sources: { ticks: { plugin: generator, symbols: [A], count: 5, rate: max, seed: 1 } }
      sinks: { web: { plugin: dashboard, inputs: [ticks], listen: "127.0.0.1:0", file: "-" } }

      """
    try Data(text.utf8).write(to: folder.appending(path: "plugins.yaml"))
    let result = try Self.run(["run", "--quiet", "--log-format", "json"], in: folder)
    let lines = result.errors.split(separator: "\n")
    #expect(lines.count == 1, "\(result.errors)")
    let object = try JSONSerialization.jsonObject(with: Data((lines.first ?? "{}").utf8)) as? [String: String]
    #expect(object?["level"] == "notice" && object?["component"] == "web" && object?["time"]?.hasSuffix("Z") == true)
    #expect(object?["message"]?.hasPrefix("the page is at http://127.0.0.1:") == true)
  }
}

/// Compares with `Tests/Fixtures/cli/NAME`.
func expect(_ text: String, is name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
  #expect(try text + "\n" == Repository.golden("cli/\(name)", updatedTo: text + "\n"), sourceLocation: sourceLocation)
}
