internal import Dispatch
internal import EventBus
internal import Filter
internal import Generator
internal import Logging
internal import MarketData
internal import StockbusInstruments
internal import StockbusPlugin

extension Target {
  /// Commands to a running component: each is carried out, or refused with a sentence.
  static let commands = Target(
    "commands", "words of command and the components that take them", limit: 512,
    words: [
      "raise", "lower", "set", "randomise", "where", "AAPL", "NVDA", " 10", " 0.000000001", " 99999999999", "price > 100", " and ",
      "\u{a0}",
      "\u{2028}", "\t", "-n", "--file=/etc/passwd",
    ], budget: 300
  ) { bytes in
    let line = text(bytes)
    guard let command = Command(line: line) else {
      law(line.allSatisfy(\.isWhitespace), "no command in '\(line)'")
      return
    }
    let words = [command.verb] + command.arguments
    law(words.allSatisfy { !$0.isEmpty && !$0.contains(where: \.isWhitespace) }, "words have no blanks: \(words)")
    law(Command(line: words.joined(separator: " ")) == command, "'\(line)' is not what its words are")
    do throws(CommandError) {
      let answer = try wait { () async throws(CommandError) in try await generator.perform(command) }
      law(answer.hasSuffix(" is now \(answer.split(separator: " ").last ?? "")"), "answers what was done: \(answer)")
    } catch { law(!error.description.isEmpty, "refuses in a sentence") }
    do throws(CommandError) {
      let answer = try wait { () async throws(CommandError) in try await filter.perform(command) }
      law(answer.hasPrefix("passes ") || answer.hasPrefix("the condition is "), "answers what was done: \(answer)")
    } catch { law(!error.description.isEmpty, "refuses in a sentence") }
  }

  private static let generator = try! Generator(GeneratorSettings(), context("ticks"))
  private static let filter: Filter<Trade> = {
    var settings = FilterSettings()
    settings.where = try! ConditionText(option: "price > 1")
    return try! Filter(settings, context("mine"))
  }()

  private static func context(_ id: String) -> Context {
    let logger = Logger(label: id) { _ in SwiftLogNoOpLogHandler() }
    return Context(id: id, Context.Shared(clock: Stopped(), logger: logger, seed: 1, notices: Nobody()))
  }

  private struct Stopped: Timekeeper {
    var now: Timestamp { Timestamp(ns: 1_381_239_000_000_000_000) }
    var uptime: Duration { .zero }
    func sleep(until _: Duration) async throws(CancellationError) {}
  }

  private struct Nobody: NoticePublisher {
    func post(_: DeadLetter) {}
    func post(_: ConnectionStatus) {}
    func post(_: Gap) {}
  }

  /// Runs `body` on other threads while libFuzzer's thread waits.
  private static func wait<E: Error>(_ body: @escaping @Sendable () async throws(E) -> String) throws(E) -> String {
    nonisolated(unsafe) var result: Result<String, E>?
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      do throws(E) { result = .success(try await body()) } catch { result = .failure(error) }
      done.signal()
    }
    done.wait()
    guard let result else { preconditionFailure("it has been done") }
    return try result.get()
  }
}
