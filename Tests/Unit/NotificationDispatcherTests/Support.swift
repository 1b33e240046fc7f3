import EventBus
import MarketData
import StockbusNetwork
import StockbusPlugin
import StockbusTestKit
import Synchronization

@testable import NotificationDispatcher

/// Trades of one symbol, with prices in hundredths, one each second.
func trades(_ prices: [Int64], of symbol: Symbol = "AAPL", from second: Int64 = 0) -> [Trade] {
  prices.enumerated().map { i, price in
    let time = Timestamp(ns: (second + Int64(i)) * 1_000_000_000)
    return Trade(symbol: symbol, price: Price(raw: price * 10_000_000), size: 1, time: time, received: time, priceDecimals: 2)
  }
}

/// The notification of the schema's example: AAPL above 200 at 200.10.
func exampleNotification(_ message: String? = nil, rule: String? = nil, number: Int = 1, isUrgent: Bool = false) -> Notification {
  var alert = Alert.schema.example
  if let message { alert.message = message }
  if let rule { alert.rule = rule }
  return Notification(alert, component: "alerts", number: number, isUrgent: isUrgent)
}

extension ManualTimekeeper {
  /// Waits until there is a sleeper that is due within `limit`, and advances the clock to that time. Later sleepers stay asleep.
  func passPause(atMost limit: Duration) async {
    // There is no notification of new sleepers, so this polls, and yields between two checks.
    while !(deadlines.first.map { $0 - uptime <= limit } ?? false) { await Task.yield() }
    advanceToNextDeadline()
  }

  /// Waits until there is a sleeper that is due after exactly this time, and advances the clock to it.
  func pass(exactly duration: Duration) async {
    await waitForSleeper(until: uptime + duration)
    advance(by: duration)
  }
}

/// Replies to requests by a script.
final class ScriptedTransport: HTTPTransport {
  let requests = Watched<[HTTPRequest]>([])
  private let script: @Sendable (Int) -> Result<HTTPResponse, HTTPError>

  init(_ script: @escaping @Sendable (Int) -> Result<HTTPResponse, HTTPError>) { self.script = script }

  func exchange(_ request: HTTPRequest, limits: HTTPLimits) async throws(HTTPError) -> HTTPResponse {
    let number = requests.update { list in
      list.append(request)
      return list.count - 1
    }
    return try script(number).get()
  }
}

/// Records the calls and returns results by a script.
final class ScriptedPrograms: ProgramRunner {
  let calls = Watched<[ProgramCall]>([])
  private let result: Result<ProgramResult, ProgramFailure>

  init(_ result: Result<ProgramResult, ProgramFailure> = .success(.exited(0))) { self.result = result }

  func run(_ call: ProgramCall, clock: any Timekeeper) async throws(ProgramFailure) -> ProgramResult {
    calls.update { $0.append(call) }
    return try result.get()
  }
}

func tools(
  _ clock: ManualTimekeeper = ManualTimekeeper(),
  transport: any HTTPTransport = ScriptedTransport { _ in .success(HTTPResponse(status: 200)) },
  programs: any ProgramRunner = ScriptedPrograms(), environment: [String: String] = ["PATH": "/usr/bin:/bin", "TOKEN": "not-yours"]
) -> ChannelTools {
  ChannelTools(clock: clock, transport: { _, _ in transport }, programs: programs, environment: environment, console: { _ in })
}

/// The error of an attempt; nil if it succeeded.
func failure(of channel: any Channel, _ notification: Notification) async -> DeliveryError? {
  do throws(DeliveryError) {
    try await channel.deliver(notification)
    return nil
  } catch { return error }
}

extension RuleWords {
  /// The rule that a command would add.
  static func rule(_ words: [String]) throws(CommandError) -> RuleSettings { try RuleSettings(request(words)) }
}
