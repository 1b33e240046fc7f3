internal import StockbusPlugin
internal import StockbusProcesses
internal import StockbusSystem

/// The process behind a component, from its start to its end: its standard error is logged, and how it has ended is reported.
///
/// One actor uses it.
final class ProgramLife {
  let settings: ProgramSettings
  let context: Context
  /// The process; nil before the start and after the end.
  private(set) var child: ChildProgram?
  private var errorLines = LineBuffer(limit: 64 << 10, capacity: 16 << 10)
  private var lastErrorLine = ""
  private var pythonError = PythonError()
  /// True once the program has closed its standard error, which `poll` would report again and again.
  var haveErrorsEnded: Bool { errorsEnded.value }
  let errorsEnded = WaitableValue(false)
  /// True once the program may end, with whatever status.
  var hasSaidGoodbye = false
  /// For the program's log messages, and for its standard error, so that a flood there hides nothing here.
  private var logAllowance: LineAllowance
  private var errorAllowance: LineAllowance

  init(_ settings: ProgramSettings, _ context: Context) {
    self.settings = settings
    self.context = context
    logAllowance = LineAllowance(at: context.clock.uptime)
    errorAllowance = logAllowance
  }

  /// Starts the program.
  func start(_ environment: [String: String]) async throws -> ChildProgram {
    let name = settings.run[0]
    guard let path = ProgramSearch.find(name, in: environment) else {
      throw ProgramMisfit(description: "there is no program \(shown(name, limit: 200))")
    }
    // A trap ends the process at once, and its last line is the reason; Swift's backtrace would take seconds.
    let usual = settings.hostsPlugin ? ["SWIFT_BACKTRACE": "enable=no"] : [:]
    let variables = ProgramEnvironment.minimal(environment).merging(usual) { first, _ in first }
      .merging(settings.environment.entries.map { ($0.name, $0.value.revealed) }) { _, second in second }
    let limits = ProgramLaunch.Limits(
      memory: settings.limits.memory?.bytes, cpu: settings.limits.cpu, files: settings.limits.files)
    do throws(ChildProgram.StartError) {
      let child = try await ChildProgram.start(
        ProgramLaunch(path, Array(settings.run.dropFirst()), environment: variables, folder: settings.folder, limits: limits))
      self.child = child
      return child
    } catch { throw ProgramMisfit(description: "\(shown(name, limit: 200)) \(error)") }
  }

  /// How long the program may take to end once its input has ended.
  var patience: Duration {
    let left = context.run.cutOff.map { max(.zero, $0 - context.clock.uptime) } ?? settings.timeout
    return min(left, settings.timeout)
  }

  /// Waits for the end of the program, which is expected since `event`, at `began`, and kills it if it takes too long, or longer than a
  /// stop may: then the second value reports that.
  func end(of child: ChildProgram, since event: String, at began: Duration) async -> (ProgramEnd?, late: ProgramError?) {
    let (clock, run, timeout) = (context.clock, context.run, settings.timeout)
    // Evaluated repeatedly, since a stop may be requested meanwhile.
    let isLate: @Sendable () -> Bool = { clock.uptime - began >= timeout || run.cutOff.map { clock.uptime >= $0 } ?? false }
    let end = await child.ended(killedOnce: isLate)
    guard child.wasKilled, isLate() else { return (end, nil) }
    let time = min(timeout, clock.uptime - began)
    return (end, ProgramError("has not ended within \(time == timeout ? time.optionText : time.roughText) since \(event), and was killed"))
  }

  /// Ends a program that has not failed: by the end of its input, and by force if it takes too long. Returns the error in that case.
  func close() async -> ProgramError? {
    guard let child else { return nil }
    self.child = nil
    let began = context.clock.uptime
    child.closeInput()
    let (end, late) = await end(of: child, since: "its input ended", at: began)
    readErrors(of: child)
    child.close()
    let omitted = logAllowance.takeOmitted() + errorAllowance.takeOmitted()
    if omitted > 0 { context.logger.notice("\(omitted) more lines of the program omitted") }
    if late == nil, let end, end != .exited(0) {
      context.logger.warning("the program \(end)\(hasSaidGoodbye ? ", although it had finished its work" : "")")
    }
    return late
  }

  /// Kills the program and returns the failure: `error`, and the program's last line if it has ended by itself. `inspect` is called between
  /// the end of the program and that of the pipes.
  func failure(_ error: any Error, inspect: (ChildProgram) -> Void = { _ in }) async -> any Error {
    guard let child else { return error }
    self.child = nil
    let hasGone = error is ProgramGone
    // A program that ends closes its pipes a moment before it has ended.
    let grace = ContinuousClock.now + (hasGone ? Self.moment : .zero)
    let end = await child.ended { .now >= grace }
    inspect(child)
    readErrors(of: child)
    child.close()
    guard hasGone else { return error }
    if child.wasKilled { return ProgramError("has closed its input or output without ending, and was killed") }
    let last = lastErrorLine.isEmpty ? "" : ": \(lastErrorLine)"
    return ProgramError("\(end?.description ?? "has ended")\(last)")
  }

  /// How long a program that has closed a pipe may take to end.
  private static let moment = Duration.milliseconds(500)

  /// Logs the available lines of standard error.
  func readErrors(of child: ChildProgram) {
    // A bounded number of reads, so that a flood of lines delays nothing else.
    for _ in 0..<16 {
      while let line = errorLines.next() { logErrorLine(String(decoding: line.prefix(2048), as: UTF8.self)) }
      if errorLines.isTooLong {
        logErrorLine(String(decoding: errorLines.rest.prefix(2048), as: UTF8.self))
        errorLines.dropRest()
      }
      let arrival = errorLines.read(child.errors)
      if arrival == .end { errorsEnded.update { $0 = true } }
      if arrival != .something { break }
    }
    while let line = errorLines.next() { logErrorLine(String(decoding: line.prefix(2048), as: UTF8.self)) }
  }

  private func logErrorLine(_ line: String) {
    guard let summary = pythonError.take(line) else { return context.logger.debug("\(visible(line, limit: 2048))") }
    if summary != line { context.logger.debug("\(visible(line, limit: 2048))") }
    let line = summary
    if line.isEmpty { return }
    // The part of Swift's message after the reason is the place in the code.
    if !settings.hostsPlugin || !lastErrorLine.contains("Fatal error: ") { lastErrorLine = visible(line, limit: 300) }
    log(line, "notice", &errorAllowance)
  }

  /// Logs a log message of the program.
  func log(_ line: String, _ level: String) { log(line, level, &logAllowance) }

  private func log(_ line: String, _ level: String, _ allowance: inout LineAllowance) {
    let (isAllowed, omitted) = allowance.take(at: context.clock.uptime)
    guard isAllowed else { return }
    if omitted > 0 { context.logger.notice("\(omitted) lines of the program omitted, too many at once") }
    context.logger.log(level: Logger.Level(rawValue: level) ?? .info, "\(visible(line, limit: 2048))")
  }
}

/// The program has ended, or has closed its output.
struct ProgramGone: Error {}
