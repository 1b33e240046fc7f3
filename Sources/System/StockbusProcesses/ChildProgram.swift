internal import LibC
package import StockbusSystem
internal import Subprocess
internal import Synchronization

/// A program that runs beside this process, with pipes to its standard streams.
///
/// The program has a session of its own, and no open files but the three. It is killed with its session by `kill`, and when this process
/// ends in any way. Processes that it has started end with it: see `Descendants`.
package final class ChildProgram: Sendable {
  /// Why a program cannot be started, as the end of a sentence that begins with its name.
  package struct StartError: Error, Hashable, CustomStringConvertible {
    package let description: String
  }

  /// This side's ends of the pipes; they do not block. `close` closes them.
  package let input: FileDescriptor
  package let output: FileDescriptor
  package let errors: FileDescriptor
  private let id: pid_t
  private let mark: String
  /// Unstructured, because the program outlives the call that starts it; `ended` waits for it.
  private let life: Task<ProgramEnd?, Never>
  /// Ends the wait that keeps the process's number reserved: only after it may another process get the number.
  private let release: AsyncStream<Never>.Continuation
  private let state = Mutex(State())

  private struct State {
    var isInputOpen = true
    /// Another end of the pipe of the closed input, which shows what nobody has read of it.
    var remainder: FileDescriptor?
    var isKilled = false
    /// True once a task has begun to end the processes that the program has left behind.
    var isBeingSwept = false
    var isReleased = false
  }

  /// How long a killed program may take until it no longer has to be waited for, because a program that waits for a disk cannot be killed;
  /// and how long processes that it has started may continue after it has ended by itself.
  private static let lastPatience = Duration.seconds(1)

  private init(_ id: pid_t, _ mark: String, _ pipes: Pipes, _ life: Task<ProgramEnd?, Never>, _ release: AsyncStream<Never>.Continuation) {
    self.id = id
    self.mark = mark
    self.life = life
    self.release = release
    input = pipes.input.ours
    output = pipes.output.ours
    errors = pipes.errors.ours
  }

  /// Starts a program; its path is `launch.program`.
  package static func start(_ launch: ProgramLaunch, lifeline: Lifeline = .shared) async throws(StartError) -> ChildProgram {
    // A file that the kernel cannot start is refused here, because the shell below would interpret it as a script.
    guard ProgramImage(launch.program)?.isKnown == true else { throw StartError(description: "is not an executable program") }
    guard let pipes = Pipes() else { throw StartError(description: "could not be started: too many open files") }
    let (births, birth) = AsyncStream.makeStream(of: pid_t.self, bufferingPolicy: .bufferingOldest(1))
    let (releases, release) = AsyncStream.makeStream(of: Never.self)
    let mark = lifeline.mark()
    let life = Task { await run(launch, mark, pipes, lifeline, birth, releases) }
    var id: pid_t?
    for await born in births { id = born }
    guard let id else {
      pipes.closeOurs()
      throw StartError(description: "could not be started")
    }
    let child = ChildProgram(id, mark, pipes, life, release)
    // The shell waits for this line.
    _ = try? "go\n".utf8.withContiguousStorageIfAvailable { (bytes) in try child.input.writeOnce(UnsafeRawBufferPointer(bytes)) }
    return child
  }

  private static func run(
    _ launch: ProgramLaunch, _ mark: String, _ pipes: Pipes, _ lifeline: Lifeline, _ birth: AsyncStream<pid_t>.Continuation,
    _ releases: AsyncStream<Never>
  ) async -> ProgramEnd? {
    defer { birth.finish() }
    var options = PlatformOptions()
    // In a session of its own, so that the processes it starts are killed with it, and Ctrl-C at the terminal does not reach it.
    options.createSession = true
    options.teardownSequence = [.send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero)]
    let marked = launch.environment.merging([Descendants.variable: mark]) { _, mark in mark }
    let variables = Dictionary(
      uniqueKeysWithValues: marked.compactMap { name, value in Environment.Key(rawValue: name).map { ($0, value) } })
    do {
      let result = try await Subprocess.run(
        .path("/bin/sh"), arguments: Arguments(["-c", launch.script, launch.program] + launch.arguments),
        environment: .custom(variables), workingDirectory: launch.folder.map { FilePath($0) }, platformOptions: options,
        input: .fileDescriptor(pipes.input.theirs, closeAfterSpawningProcess: true),
        output: .fileDescriptor(pipes.output.theirs, closeAfterSpawningProcess: true),
        error: .fileDescriptor(pipes.errors.theirs, closeAfterSpawningProcess: true)
      ) { execution in
        let id = execution.processIdentifier.value
        _ = lifeline.watch(id)
        birth.yield(id)
        birth.finish()
        for await _ in releases {}
        return id
      }
      lifeline.forget(result.closureResult)
      switch result.terminationStatus {
      case .exited(let status): return .exited(Int(status))
      case .signaled(let signal): return .killed(signal: Int(signal))
      }
    } catch {
      return nil
    }
  }

  /// Closes the program's standard input, which asks most programs to end.
  package func closeInput() {
    let isOpen = state.withLock { state in
      #if os(Linux)
      if state.isInputOpen { state.remainder = try? .opening("/proc/self/fd/\(input.rawValue)", .readOnly, .nonBlocking) }
      #endif
      defer { state.isInputOpen = false }
      return state.isInputOpen
    }
    if isOpen { try? input.shut() }
  }

  /// The bytes of the program's standard input that nobody has read. Once the input is closed, only Linux shows them; elsewhere they are 0.
  package var unreadInput: Int { state.withLock { state in (state.isInputOpen ? input : state.remainder).map(Self.unread) ?? 0 } }

  private static func unread(_ pipe: FileDescriptor) -> Int {
    var count: Int32 = 0
    return ioctl(pipe.rawValue, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
  }

  /// True if the program was killed before it was known to have exited.
  package var wasKilled: Bool { state.withLock { $0.isKilled } }

  /// Kills the program and the processes in its session.
  package func kill() {
    state.withLock { state in
      if state.isReleased { return }
      state.isKilled = true
      signal(SIGKILL)
    }
  }

  private func signal(_ number: Int32) {
    _ = LibC.kill(-id, number)
  }

  /// Waits for the program's end and returns how it ended; nil if the system does not report it. The program is killed once `isLate` is
  /// true; after its end the processes that it has started are killed. Several tasks may wait, and the program may be killed meanwhile.
  package func ended(killedOnce isLate: @escaping @Sendable () -> Bool = { false }) async -> ProgramEnd? {
    // Unstructured, because a cancelled caller must wait too.
    guard await Task(operation: { await hasExited(killedOnce: isLate) }).value else {
      Task { await ended() }
      return nil
    }
    return await life.value
  }

  /// Returns true once the program has exited and the processes that it has started are killed; false if it cannot be killed.
  private func hasExited(killedOnce isLate: @Sendable () -> Bool) async -> Bool {
    var (pause, deadline) = (Duration.milliseconds(1), ContinuousClock.Instant?.none)
    while !isZombie {
      if deadline == nil, wasKilled || isLate() {
        kill()
        deadline = .now + Self.lastPatience
      }
      if let deadline, .now >= deadline { return false }
      // The library reports the exit only when it gives up the process's number, and then no process of the session can be killed safely.
      try? await Task.sleep(for: pause)
      pause = min(pause * 2, .milliseconds(20))
    }
    let isFirst = state.withLock { state in
      defer { state.isBeingSwept = true }
      return !state.isBeingSwept
    }
    if isFirst {
      // A process that compresses or stores the program's output may need a little more time.
      if !wasKilled { await Descendants.haveEnded(mark, within: Self.lastPatience) }
      signal(SIGKILL)
      await Descendants.kill(mark)
      state.withLock { $0.isReleased = true }
      release.finish()
    }
    return true
  }

  /// True once the program has exited, even if its number has been given up since.
  private var isZombie: Bool {
    state.withLock { state in
      if state.isReleased { return true }
      var info = siginfo_t()
      let isKnown = (try? retrying { waitid(P_PID, id_t(id), &info, WEXITED | WNOHANG | WNOWAIT) }) == 0
      return !isKnown || info.si_signo == SIGCHLD
    }
  }

  /// Closes this side's ends of the pipes. To be called once, after `ended`.
  package func close() {
    closeInput()
    state.withLock { state in
      try? state.remainder?.shut()
      state.remainder = nil
    }
    try? output.shut()
    try? errors.shut()
  }
}

/// The pipes to a program.
private struct Pipes: Sendable {
  struct Pair: Sendable {
    let ours: FileDescriptor
    let theirs: FileDescriptor
  }

  let input: Pair
  let output: Pair
  let errors: Pair

  /// Nil if no more files can be opened.
  init?() {
    guard let input = Self.pair(weWrite: true) else { return nil }
    guard let output = Self.pair(weWrite: false) else {
      for end in [input.ours, input.theirs] { try? end.shut() }
      return nil
    }
    guard let errors = Self.pair(weWrite: false) else {
      for end in [input.ours, input.theirs, output.ours, output.theirs] { try? end.shut() }
      return nil
    }
    self.input = input
    self.output = output
    self.errors = errors
  }

  func closeOurs() { for end in [input.ours, output.ours, errors.ours] { try? end.shut() } }

  private static func pair(weWrite: Bool) -> Pair? {
    // High numbers and closed on exec, so that neither this program nor another one inherits this side's end.
    guard let ends = DetachedProcess.pipe() else { return nil }
    let (ours, theirs) = weWrite ? (ends.writing, ends.reading) : (ends.reading, ends.writing)
    _ = fcntl(ours, F_SETFL, fcntl(ours, F_GETFL) | O_NONBLOCK)
    #if os(Linux)
    // A quarter of the limit for each user; fewer wake-ups than with the usual 64 KiB. No effect if the system refuses it. The number is
    // `F_SETPIPE_SZ`, which the C library hides behind a feature macro.
    _ = fcntl(ours, 1031, 256 << 10)
    #endif
    return Pair(ours: FileDescriptor(rawValue: ours), theirs: FileDescriptor(rawValue: theirs))
  }
}
