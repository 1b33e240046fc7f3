internal import StockbusPlugin
internal import StockbusProcesses
internal import Subprocess
internal import Synchronization

#if canImport(System)
internal import System
#else
internal import SystemPackage
#endif

/// Runs programs with swift-subprocess. They are killed when this process ends, however it ends: see `Lifeline`.
struct SystemPrograms: ProgramRunner {
  private let lifeline: Lifeline

  init(_ lifeline: Lifeline = .shared) { self.lifeline = lifeline }

  func run(_ call: ProgramCall, clock: any Timekeeper) async throws(ProgramFailure) -> ProgramResult {
    let outcome = await withTaskGroup(of: Result<ProgramResult, ProgramFailure>.self) { group in
      group.addTask { await spawn(call) }
      group.addTask {
        try? await clock.sleep(for: call.timeout)
        return .failure(.timedOut)
      }
      // The first result counts. Cancelling the program's task kills the program, and the group waits for that.
      let first = await group.next() ?? .failure(.cancelled)
      group.cancelAll()
      return first
    }
    if Task.isCancelled, case .failure = outcome { throw .cancelled }
    return try outcome.get()
  }

  @concurrent
  private func spawn(_ call: ProgramCall) async -> Result<ProgramResult, ProgramFailure> {
    guard let image = ProgramImage(call.program) else { return .failure(.notStarted) }
    // A file that the kernel cannot start is started directly, so that it fails; a shell would interpret it as a script.
    guard image.isKnown, let guardian = lifeline.descriptor else {
      return await run(call.program, call.arguments, call, errors: .combinedWithOutput)
    }
    // The shell reports its id and then replaces itself by the program, so the program never runs unregistered.
    return await run(
      "/bin/sh", ["-c", Lifeline.registration, call.program] + call.arguments, call,
      errors: .fileDescriptor(FileDescriptor(rawValue: guardian), closeAfterSpawningProcess: false))
  }

  @concurrent
  private func run(
    _ program: String, _ arguments: [String], _ call: ProgramCall, errors: some ErrorOutputProtocol
  ) async -> Result<ProgramResult, ProgramFailure> {
    var options = PlatformOptions()
    // In a separate session, so that processes started by the program are killed with it, and Ctrl-C at the terminal does not reach it.
    options.createSession = true
    options.teardownSequence = [.send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero)]
    let variables = Dictionary(
      uniqueKeysWithValues: call.environment.compactMap { name, value in Environment.Key(rawValue: name).map { ($0, value) } })
    let id = Atomic<pid_t>(0)
    defer { if id.load(ordering: .relaxed) != 0 { lifeline.forget(id.load(ordering: .relaxed)) } }
    do {
      let result = try await Subprocess.run(
        .path(FilePath(program)), arguments: Arguments(arguments), environment: .custom(variables), platformOptions: options,
        input: .inputWriter, output: .sequence, error: errors
      ) { execution in
        id.store(execution.processIdentifier.value, ordering: .relaxed)
        async let written: Void = Self.write(call.input, to: execution.standardInputWriter)
        // The output is read and discarded, so that the program never waits for a reader and the output uses no memory.
        for try await _ in execution.standardOutput {}
        await written
      }
      switch result.terminationStatus {
      case .exited(let status): return .success(.exited(Int(status)))
      case .signaled(let signal): return .success(.killed(signal: Int(signal)))
      }
    } catch {
      return .failure(Task.isCancelled ? .cancelled : .notStarted)
    }
  }

  /// Writes the input and closes it, whatever happens. The library traps (1.0.2) if a write of an input that it was given fails, because the
  /// program has ended or the task is cancelled.
  private static func write(_ input: [UInt8], to writer: StandardInputWriter) async {
    // A program need not read its input.
    _ = try? await writer.write(input)
    try? await writer.finish()
  }
}
