import ArgumentParser
import StockbusControl
import StockbusPlugin
import StockbusProgram
import StockbusRuntime

struct TapCommand: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "tap", abstract: "Show what a component of a run publishes, from now on.",
      discussion: """
        The run never waits for it: events that are not read in time are dropped and counted. Ctrl-C ends the view, not the run.

          \(Program.name) tap ranked --where 'rank <= 3' --fields symbol,rank,price
          \(Program.name) tap dead_letters --format json | jq .reason
        """)
  }

  @OptionGroup var choice: RunChoice

  @Argument(help: "The component, or a topic of the run, such as dead_letters.")
  var component: String

  @ArgumentParser.Option(help: "An aligned table, JSON lines, or CSV with a header.")
  var format = PrintFormat.table

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
  }

  private var query: [(name: String, value: String)] {
    var query = [(name: "format", value: format == .json ? "json" : "csv")]
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
        var view = TapView(format)
        do throws(ControlClient.Failure) {
          return .success(
            try await client.tap(id, query) { event in
              if event.name == "left_out" { StandardError.write("\(event.data) events dropped so far, because they were not read in time") }
              for line in view.lines(event) {
                var text = line + "\n"
                switch text.withUTF8({ StandardOutput.tryWrite(UnsafeRawBufferPointer($0)) }) {
                case nil: continue
                case .failed(let reason): brokenOutput.withLock { $0 = reason }
                default: break
                }
                // The output has no reader any more.
                return false
              }
              return true
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
}
