import ArgumentParser
import StockbusConfig
import LibC
import StockbusFiles
import StockbusPlugin
import StockbusSystem

/// `stockbus init`: a configuration to start from.
struct Init: ParsableCommand {
  /// Made at every start, so without wrapping: no line is wider than 76 characters.
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "init",
      abstract: "Write a plugins.yaml to start from.",
      discussion: """
        \(StarterConfig.kinds.map { "  \($0.usage)\(String(repeating: " ", count: 12 - $0.usage.utf8.count))\($0.what)" }.joined(separator: "\n"))

        The file runs at once: '\(Program.name) run'. A file that exists is not overwritten.
        """)
  }

  @Argument(
    help: ArgumentHelp("What it shows: \(StarterConfig.kinds.map(\.usage).joined(separator: ", ")).", valueName: "kind"),
    completion: .list(StarterConfig.kinds.map(\.word)))
  var kind = "demo"

  @Argument(help: ArgumentHelp("For csv: the file; for a venue: its name.", valueName: "name"), completion: .file())
  var name: String?

  @Option(help: ArgumentHelp("The file to write; - is standard output.", valueName: "file"))
  var to = ConfigLoader.usual

  func run() throws {
    if to != "-", access(to, F_OK) == 0 { throw refusal(.fileExists) }
    let starter = try starter()
    let text = starter.text.replacing("'stockbus ", with: "'\(Program.name) ")
    if to == "-" { return try StandardOutput.write(String(text.dropLast())) }
    do throws(Errno) {
      let descriptor = try FileDescriptor.opening(
        to, .writeOnly, [.create, .exclusiveCreate], permissions: [.ownerReadWrite, .groupRead, .otherRead])
      defer { try? descriptor.shut() }
      do throws(Errno) { try descriptor.writeWhole(Array(text.utf8)) } catch {
        unlink(to)
        throw error
      }
    } catch {
      throw refusal(error)
    }
    try StandardOutput.write(Self.text(starter, to: to))
  }

  private func refusal(_ error: Errno) -> ExitCode {
    let why = error == .fileExists ? "exists already; nothing was written; --to FILE names another one" : "could not be written: \(error)"
    StandardError.write("error: \(shown(to, limit: 200)) \(why)")
    return .failure
  }

  /// What was written, and what to do next.
  static func text(_ starter: StarterConfig, to file: String) -> String {
    let run = file == ConfigLoader.usual ? "run" : "run \(file)"
    let steps = (starter.before + [run]).enumerated().map { ($0 == 0 ? "next: " : "then: ") + "\(Program.name) \($1)" }
    let assumed = starter.assumed.isEmpty ? [] : ["assumed; change there what is not so:"] + starter.assumed.map { "  \($0)" }
    return (["wrote \(file): \(starter.what)"] + assumed + steps)
      .joined(separator: "\n")
  }

  private func starter() throws -> StarterConfig {
    guard kind == "csv", let look = Program.current.fileGuess else {
      do throws(StarterConfig.Mistake) { return try StarterConfig(kind, name, Program.catalogue) } catch {
        throw ValidationError(error.description)
      }
    }
    guard let name else { throw ValidationError("csv needs the name of the file: '\(Program.name) init csv FILE'") }
    do throws(StarterConfig.Mistake) { return try StarterConfig.csv(name, look, Program.catalogue, answer: Self.answer) } catch {
      StandardError.write("error: \(error); nothing was written")
      throw ExitCode.failure
    }
  }

  /// Asks on a terminal; elsewhere, and if nothing is typed, the answer is the likeliest.
  private static func answer(_ question: FileGuess.Question, after mistake: String?) -> String {
    let likely = question.choices.first ?? ""
    guard PageWidth.ofTerminal != nil, isatty(STDIN_FILENO) == 1 else { return likely }
    let others = question.choices.dropFirst().map { ", or \($0)" }.joined()
    if let mistake { StandardError.write("this cannot be: \(mistake)") }
    StandardError.write("\(question.text) Enter for \(likely)\(others); or write another:")
    guard let typed = readLine(), !typed.isEmpty else { return likely }
    return question.choices.contains(typed) ? typed : typed.optionText
  }
}
