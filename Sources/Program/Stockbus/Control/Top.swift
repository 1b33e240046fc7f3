import ArgumentParser
import StockbusControl
import StockbusPlugin
import StockbusProgram
import StockbusRuntime
import StockbusTerminal

struct Top: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "top",
    abstract: "Show the rates of a run's components, live.",
    discussion: """
      BUSY is the processor time, or the time of a component's own thread; 100 % is one processor. P99 is the time from publication to \
      the end of processing that 99 % of sampled events keep. LEFT OUT counts dropped, conflated and dead events. Ctrl-C ends the view, \
      not the run.
      """)

  @Flag(help: "Measure for one second, print the result, and end.")
  var once = false

  @OptionGroup var choice: RunChoice

  func run() async throws {
    LongCommand.prepare()
    let (client, first) = try await choice.find()
    let clock = SystemTimekeeper()
    if once || !Console.terminal.capabilities.canRedraw {
      try await clock.sleep(for: .seconds(1))
      let now = try await ControlClient.answer { () throws(ControlClient.Failure) in try await client.status() }
      return try StandardOutput.write(TopText(before: first, now: now).lines.joined(separator: "\n"))
    }
    let failure = await withTaskGroup(of: String?.self) { group in
      group.addTask {
        await LongCommand.awaitStopSignal()
        return nil
      }
      group.addTask { await Self.show(client, first, clock) }
      let ended = await group.next() ?? nil
      group.cancelAll()
      return ended
    }
    try await Console.terminal.restore()
    if let failure {
      StandardError.write(failure)
      if failure != Self.ending { throw ExitCode.failure }
    }
  }

  private static let ending = "the run has ended"

  /// Draws until there is no answer any more; returns why.
  private static func show(_ client: ControlClient, _ first: RunStatus, _ clock: SystemTimekeeper) async -> String? {
    var before = first
    while (try? await clock.sleep(for: .seconds(1))) != nil {
      do throws(ControlClient.Failure) {
        let now = try await client.status()
        try? await Console.terminal.setBlock(TopText(before: before, now: now).lines.map { StyledLine($0) }, owner: "top")
        before = now
      } catch { return error.isGone ? Self.ending : "\(error)" }
    }
    return nil
  }
}
