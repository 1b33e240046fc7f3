import ArgumentParser
import StockbusControl
import StockbusPlugin
import StockbusProgram
import StockbusRuntime
import StockbusTables

struct TapCommand: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "tap", abstract: "Show what a component of a run publishes, from now on.",
      discussion: """
        The run never waits for it: events that are not read in time are dropped and counted. Ctrl-C ends the view, not the run.

          \(Program.name) tap ranked --where 'rank <= 3' --fields symbol,rank,price
          \(Program.name) tap dead_letters --format json | jq .reason
          \(Program.name) tap bars --format arrow > bars.arrows
        """)
  }

  @OptionGroup var choice: RunChoice

  @Argument(help: "The component, or a topic of the run, such as dead_letters.")
  var component: String

  enum Format: String, CaseIterable, ExpressibleByArgument {
    case table, json, csv, arrow
  }

  @ArgumentParser.Option(
    help: "An aligned table, JSON lines, CSV with a header, or for data frames an Arrow stream, with exact numbers.")
  var format = Format.table

  @ArgumentParser.Option(name: .customLong("where"), help: ArgumentHelp("Only events that meet this condition.", valueName: "expression"))
  var condition: String?

  @ArgumentParser.Option(help: ArgumentHelp("The fields to show, in this order, separated by commas.", valueName: "field,…"))
  var fields: String?

  @ArgumentParser.Option(
    parsing: .unconditional, help: ArgumentHelp("Ends after this many lines.", valueName: "lines"),
    transform: NumberArgument.of(1...Int.max))
  var limit: Int?

  @ArgumentParser.Option(name: .customLong("for"), help: ArgumentHelp("Ends after this time, up to 24h.", valueName: "time"))
  var time: String?

  func validate() throws {
    if let time, WatchTime.tap.read(time) == nil { throw ValidationError("--for \(WatchTime.tap.usage)") }
    if format == .arrow, StandardOutput.isTerminal { throw ValidationError(StandardOutput.notForTerminal("arrow", "events.arrows")) }
  }

  private var query: [(name: String, value: String)] {
    var query = [(name: "format", value: format == .table ? "csv" : format.rawValue)]
    if let condition { query.append(("where", condition)) }
    if let fields { query.append(("fields", fields.filter { $0 != " " })) }
    if let limit { query.append(("limit", "\(limit)")) }
    if let time { query.append(("for", time)) }
    return query
  }

  func run() async throws {
    LongCommand.prepare()
    let (client, _) = try await choice.find()
    let (id, query, format) = (component, query, format)
    let brokenOutput = Guarded(String?.none)
    let outcome = await withTaskGroup(of: Result<String?, ControlClient.Failure>.self) { group in
      group.addTask {
        await LongCommand.awaitStopSignal()
        return .success(nil)
      }
      group.addTask {
        do throws(ControlClient.Failure) {
          if format == .arrow { return .success(try await Self.copy(client, id, query, brokenOutput)) }
          var view = TapView(format)
          return .success(
            try await client.tap(id, query) { event in
              if event.name == "left_out" { StandardError.write("\(event.data) events dropped so far, because they were not read in time") }
              return view.lines(event).allSatisfy { Self.write(Array("\($0)\n".utf8), brokenOutput) }
            })
        } catch { return .failure(error) }
      }
      let first = await group.next() ?? .success(nil)
      group.cancelAll()
      return first
    }
    let reason = try await ControlClient.answer { () throws(ControlClient.Failure) in try outcome.get() }
    if let failure = brokenOutput.withLock({ $0 }) { throw StandardOutput.failure(failure) }
    if let reason, limit == nil, time == nil { StandardError.write(reason) }
  }

  /// Returns false if the output has no reader any more, or is broken, which `failure` then says.
  private static func write(_ bytes: [UInt8], _ failure: Guarded<String?>) -> Bool {
    switch bytes.withUnsafeBytes({ StandardOutput.tryWrite($0) }) {
    case nil: return true
    case .failed(let reason): failure.withLock { $0 = reason }
    default: break
    }
    return false
  }

  /// Writes the stream to the output, with an end also if it breaks off, or is stopped. Returns why it has ended, if the run does not say it
  /// in the stream.
  private static func copy(
    _ client: ControlClient, _ id: String, _ query: [(name: String, value: String)], _ failure: Guarded<String?>
  ) async throws(ControlClient.Failure) -> String? {
    var messages = WholeMessages()
    var isWritable = true
    var fault: String?
    func finish() { if isWritable, !messages.hasEnded { _ = write(WholeMessages.end, failure) } }
    do throws(ControlClient.Failure) {
      try await client.follow(id, query) { bytes in
        do {
          isWritable = write(try messages.take(bytes), failure)
          return isWritable
        } catch {
          fault = "\(error)"
          return false
        }
      }
    } catch {
      if !messages.isEmpty { finish() }
      throw error
    }
    finish()
    if let fault { throw ControlClient.Failure(description: fault) }
    return messages.hasEnded ? nil : ControlClient.runHasEnded
  }
}
