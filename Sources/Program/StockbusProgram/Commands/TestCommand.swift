import ArgumentParser
import StockbusConfig
import StockbusPlugin
import StockbusSystem

/// How results of tests are written.
enum TestFormat: String, ExpressibleByArgument, CaseIterable {
  case text, junit
}

struct TestCommand: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "test",
      abstract: "Test configurations: what they make of inputs.",
      discussion: """
        A file of tests names a configuration, and for each test what the sources give and what components should make of it. The \
        configuration runs in event time and without effects, as in 'rehearse'. Folders stand for their files *.test.yaml.

          \(Program.name) test desk.test.yaml
          \(Program.name) test --only 'golden cross' tests/
        """)
  }

  @Argument(help: "Files of tests, or folders with files *.test.yaml.", completion: .file(extensions: ["yaml", "yml"]))
  var paths: [String] = ["."]

  @ArgumentParser.Option(help: ArgumentHelp("Only tests whose names contain this.", valueName: "text"))
  var only: String?

  @Flag(help: "Write what came into the files, in place of what they expect.")
  var update = false

  @ArgumentParser.Option(help: ArgumentHelp("Show the way of this symbol's events through the run.", valueName: "symbol"))
  var trace: String?

  @ArgumentParser.Option(help: "Lines for people, or XML for CI systems.")
  var format = TestFormat.text

  @ArgumentParser.Option(help: "The lowest level of log lines to print.")
  var logLevel = LogLevel.critical

  func run() async throws {
    LongCommand.prepare()
    ActiveJobs.begin()
    var problems = Problems()
    var files: [TestFile] = []
    for path in paths.flatMap(Self.files) {
      do throws(Problems) { files.append(try TestFile(path)) } catch { problems.add(error) }
    }
    guard problems.isEmpty else {
      StandardError.write(ConfigArguments.report(problems, "; nothing was tested"))
      throw ExitStatus.config
    }
    var results: [(path: String, runs: [TestRun])] = []
    for file in files {
      var runs: [TestRun] = []
      for test in file.tests where only.map({ test.name.contains($0) }) ?? true {
        let run = try await TestRun.run(test, of: file, tracing: trace, logLevel: logLevel)
        runs.append(run)
        if run.wasStopped {
          StandardError.write("stopped; the other tests were not run")
          throw ExitCode.failure
        }
        if format == .text { try StandardOutput.write(TestText.lines(run).joined(separator: "\n")) }
      }
      results.append((file.path, runs))
      if update, let line = try file.write(runs.flatMap(\.updates)) { StandardError.write(line) }
    }
    let all = results.flatMap(\.runs)
    if all.isEmpty {
      StandardError.write("Error: \(only.map { "no test has \(shown($0)) in its name" } ?? "there are no tests: no files *.test.yaml")")
      throw ExitCode.validationFailure
    }
    try StandardOutput.write(format == .junit ? TestText.junit(results) : "\n" + TestText.summary(all))
    if all.contains(where: { !$0.faults.isEmpty }) { throw ExitCode.failure }
  }

  /// The files of tests that a path stands for: itself, or those of a folder.
  private static func files(_ path: String) -> [String] {
    guard let names = try? FolderListing.names(path) else { return [path] }
    let found = names.filter { $0.hasSuffix(".test.yaml") || $0.hasSuffix(".test.yml") }.sorted()
    return found.map { path == "." ? $0 : path.hasSuffix("/") ? path + $0 : "\(path)/\($0)" }
  }
}
