import Glibc
import MarketData
import TestSupport
import StockbusPlugin
import StockbusTestKit
import Synchronization
import Testing

@testable import StockbusFiles

/// A sink that writes batches of lines, each a record.
private actor Writer {
  let file: RetryingFile
  private var out = RecordText()

  init(
    _ path: String, _ settings: RetryingFileSettings, _ context: Context, buffer: Int? = nil,
    output: @escaping Descriptor.Write = Descriptor.system
  ) {
    file = RetryingFile(path: path, settings, context)
    file.calls.write = output
    if let buffer { file.bufferSize = buffer }
  }

  func open(header: String = "") throws { try file.open(header: .of(header)) }

  /// Takes one batch; if it throws, the batch has not ended.
  func take(_ lines: [String]) async throws {
    file.beginBatch()
    for line in lines {
      out.clear()
      out.bytes.append(line + "\n")
      out.endRecord()
      try await file.write(out, of: 1)
    }
  }

  var chunk: Int { file.chunk }
  func flush() async throws { try await file.flush() }
  func renew() -> String? { file.renew() }
  func flushRegularly() async { await file.flushRegularly() }
  func close() { file.close() }
}

/// A disk with room for so many bytes.
private final class Room: Sendable {
  private let rest: Mutex<Int>
  init(_ bytes: Int) { rest = Mutex(bytes) }
  func add(_ bytes: Int) { rest.withLock { $0 += bytes } }

  var output: Descriptor.Write {
    { descriptor, bytes, count in
      let most = self.rest.withLock { rest in
        let most = min(count, rest)
        rest -= most
        return most
      }
      if most > 0 { return Descriptor.system(descriptor, bytes, most) }
      errno = ENOSPC
      return -1
    }
  }
}

/// A disk that is full or not.
private final class Disk: Sendable {
  private let code = Mutex<Int32>(0)
  var isFull: Bool {
    get { code.withLock { $0 != 0 } }
    set { code.withLock { $0 = newValue ? ENOSPC : 0 } }
  }
  func fail(_ error: Int32) { code.withLock { $0 = error } }

  /// Writes everything or nothing.
  var output: Descriptor.Write {
    { descriptor, bytes, count in
      let error = self.code.withLock { $0 }
      if error == 0 { return Descriptor.system(descriptor, bytes, count) }
      errno = error
      return -1
    }
  }
}

@Suite(.timeLimit(.minutes(15))) struct RetryingFileTests {
  let folder = TemporaryFolder()
  let harness = PluginHarness()
  private let disk = Disk()

  private func settings(patience: Duration = .zero, rotate: Int? = nil) -> RetryingFileSettings {
    var settings = RetryingFileSettings()
    settings.patience = patience
    settings.rotation.rotate = rotate.map { ByteSize(bytes: $0) }
    return settings
  }

  private func writer(_ settings: RetryingFileSettings) async throws -> Writer {
    let writer = Writer(folder.file("log"), settings, harness.context, output: disk.output)
    try await writer.open()
    return writer
  }

  private var lost: Int { harness.log.texts(.error).compactMap { Int($0.split(separator: " ")[2]) }.reduce(0, +) }

  @Test func `a disk that gets room again in time costs nothing, and nothing comes twice`() async throws {
    let writer = try await writer(settings(patience: .seconds(10)))
    try await writer.take(["one", "two"])
    disk.isFull = true
    async let flushed: Void = writer.flush()
    for (pause, at) in [(100, 100), (200, 300), (400, 700)] {
      await harness.clock.waitForSleeper(until: .milliseconds(at))
      #expect(folder.content("log") == "")
      if pause == 400 { disk.isFull = false }
      harness.clock.advance(by: .milliseconds(pause))
    }
    try await flushed
    try await writer.take(["three"])
    await writer.close()
    #expect(folder.content("log") == "one\ntwo\nthree\n")
    #expect(harness.counter("records") == 3 && harness.counter("bytes") == 14)
    #expect(lost == 0)
    let reason = "cannot write '\(folder.file("log"))': No space left on device (ENOSPC)"
    #expect(harness.log.texts(.warning) == ["warning plugin: \(reason); retrying for 10s"])
    #expect(harness.log.texts(.notice) == ["notice plugin: writing works again, after 700ms"])
  }

  @Test func `a part that was written makes no room in the buffer, and is no success`() async throws {
    let room = Room(9)
    let writer = Writer(folder.file("log"), settings(patience: .seconds(10)), harness.context, buffer: 10, output: room.output)
    try await writer.open()
    // Of the second line three bytes are written when the third one comes.
    try await writer.take(["first", "after"])
    async let taken: Void = writer.take(["third"])
    for (pause, at) in [(100, 100), (200, 300)] {
      await harness.clock.waitForSleeper(until: .milliseconds(at))
      #expect(harness.trouble != nil && harness.log.texts(.notice).isEmpty)
      if pause == 200 { room.add(100) }
      harness.clock.advance(by: .milliseconds(pause))
    }
    try await taken
    #expect(harness.trouble == nil && harness.log.texts(.notice) == ["notice plugin: writing works again, after 300ms"])
    await writer.close()
    #expect(folder.content("log") == "first\nafter\nthird\n" && lost == 0)
  }

  @Test func `a disk that stays full ends the life when the patience is over`() async throws {
    let writer = try await writer(settings(patience: .milliseconds(250)))
    try await writer.take(["one", "two"])
    disk.isFull = true
    async let flushed: Void = writer.flush()
    for at in [100, 250] {
      await harness.clock.waitForSleeper(until: .milliseconds(at))
      harness.clock.advance(by: .milliseconds(at) - harness.clock.uptime)
    }
    do {
      try await flushed
      Issue.record("flushed")
    } catch let failure as EnvironmentFailure {
      #expect(failure.isPermanent)
      #expect(failure.description == "cannot write '\(folder.file("log"))': No space left on device (ENOSPC)")
    }
    await writer.close()
    #expect(lost == 2)
    #expect(harness.counter("records") == 0 && harness.counter("bytes") == 0)
  }

  @Test func `a stop ends the waiting half-way to the moment at which the run is cut off`() async throws {
    let run = FakeRun()
    let harness = PluginHarness(run: run)
    let writer = Writer(folder.file("log"), settings(patience: .seconds(30)), harness.context, output: disk.output)
    try await writer.open()
    try await writer.take(["one", "two"])
    disk.isFull = true
    async let flushed: Void = writer.flush()
    await harness.clock.waitForSleeper(until: .milliseconds(100))
    run.stop(cutOff: .seconds(4))
    for at in [200, 600, 1400, 2000] {
      await harness.clock.waitForSleeper(until: .milliseconds(at))
      harness.clock.advance(by: .milliseconds(at) - harness.clock.uptime)
    }
    do {
      try await flushed
      Issue.record("flushed")
    } catch { #expect((error as? EnvironmentFailure)?.isPermanent == true) }
    #expect(harness.clock.uptime == .seconds(2))
    await writer.close()
    #expect(harness.lost == 2)
  }

  @Test func `a next life goes on behind what was delivered, also where the file was to begin anew`() async throws {
    var settings = settings()
    settings.rotation.append = false
    let context = harness.context
    for line in ["one", "two"] {
      let writer = Writer(folder.file("log"), settings, context)
      try await writer.open()
      try await writer.take([line])
      await writer.close()
    }
    #expect(folder.content("log") == "one\ntwo\n")
  }

  @Test func `an error that waiting does not help ends the life at once`() async throws {
    let writer = try await writer(settings(patience: .seconds(3600)))
    try await writer.take(["one"])
    disk.fail(EIO)
    await #expect(throws: EnvironmentFailure.self) { try await writer.flush() }
    #expect(harness.clock.uptime == .zero)
  }

  @Test func `where what waits cannot be written, the component is degraded until it can`() async throws {
    let writer = try await writer(settings(patience: .seconds(60)))
    try await writer.take(["one"])
    disk.isFull = true
    let background = Task { await writer.flushRegularly() }
    await harness.clock.waitForSleeper(until: .seconds(1))
    for second in 1...3 {
      harness.clock.advance(by: .seconds(1))
      await harness.clock.waitForSleeper(until: .seconds(second + 1))
      #expect(harness.trouble == "cannot write '\(folder.file("log"))': No space left on device (ENOSPC)")
    }
    #expect(folder.content("log") == "")
    disk.isFull = false
    harness.clock.advance(by: .seconds(1))
    while harness.trouble != nil { await Task.yield() }
    #expect(folder.content("log") == "one\n")
    // Nothing waits any more, so there is no timer.
    #expect(harness.clock.deadlines == [])
    let reason = "cannot write '\(folder.file("log"))': No space left on device (ENOSPC)"
    #expect(harness.log.texts(.warning) == ["warning plugin: \(reason); retrying for 1m"])
    #expect(harness.log.texts(.notice) == ["notice plugin: writing works again, after 3s"])
    background.cancel()
    await background.value
    await writer.close()
    #expect(lost == 0)
  }

  @Test(arguments: [0, 4])
  func `the patience begins when what waits could not be written, however few events come`(patience: Int) async throws {
    let writer = try await writer(settings(patience: .seconds(patience)))
    try await writer.take(["one"])
    disk.isFull = true
    let background = Task { await writer.flushRegularly() }
    await harness.clock.waitForSleeper(until: .seconds(1))
    harness.clock.advance(by: .seconds(1))
    await harness.clock.waitForSleeper(until: .seconds(2))
    // The next event waits for what is left of the time.
    async let taken: Void = writer.take(["two"])
    while harness.clock.uptime < .seconds(1 + patience) {
      // Both the batch and the background.
      await harness.clock.waitForSleepers(2)
      harness.clock.advance(by: harness.clock.deadlines.min()! - harness.clock.uptime)
    }
    do {
      try await taken
      Issue.record("taken")
    } catch let failure as EnvironmentFailure { #expect(failure.isPermanent && failure.taken == 0) }
    #expect(harness.clock.uptime == .seconds(1 + patience))
    // What is known when an event begins to wait is not said again.
    #expect(harness.log.texts(.warning).count == 1)
    background.cancel()
    await background.value
    await writer.close()
    #expect(lost == 1)
  }

  @Test func `a file that was moved while nothing was written is made anew when asked, and is in the log once`() async throws {
    let writer = try await writer(settings())
    try await writer.take(["one"])
    try await writer.flush()
    #expect(await writer.renew() == nil)
    folder.move("log", to: "old")
    #expect(await writer.renew() == folder.file("log"))
    #expect(await writer.renew() == nil)
    try await writer.take(["two"])
    await writer.close()
    #expect(folder.content("old") == "one\n" && folder.content("log") == "two\n")
    #expect(
      harness.log.texts(.notice) == ["notice plugin: '\(folder.file("log"))' was moved by another program; writing continues in a new file"]
    )
    #expect(harness.counter("records") == 2 && lost == 0)
  }

  @Test func `a path that cannot be made anew is waited for, and then what waits is lost`() async throws {
    let writer = Writer(folder.file("a/log"), settings(patience: .milliseconds(100)), harness.context)
    try await writer.open()
    try await writer.take(["one"])
    try await writer.flush()
    folder.move("a", to: "b")
    folder.put("", in: "a")
    // The look at it is no reason to fail; whoever writes next waits.
    #expect(await writer.renew() == nil)
    let reason = "cannot open '\(folder.file("a/log"))' for writing: Not a directory (ENOTDIR)"
    #expect(harness.trouble == reason)
    harness.clock.advance(by: .milliseconds(50))
    async let taken: Void = writer.take(["two"])
    await harness.clock.waitForSleeper(until: .milliseconds(100))
    harness.clock.advance(by: .milliseconds(50))
    do {
      try await taken
      Issue.record("taken")
    } catch { #expect("\(error)" == reason) }
    await writer.close()
    #expect(harness.counter("records") == 1 && folder.content("b/log") == "one\n")
  }

  @Test func `a file that rotates takes single records, splits none, and begins anew with its header`() async throws {
    let writer = Writer(folder.file("log"), settings(rotate: 12), harness.context)
    #expect(await writer.chunk == 0)
    try await writer.open(header: "h\n")
    try await writer.take((1...6).map { "row\($0)" })
    await writer.close()
    #expect(["log.2", "log.1", "log"].map(folder.content) == ["h\nrow1\nrow2\n", "h\nrow3\nrow4\n", "h\nrow5\nrow6\n"])
  }

  @Test func `a line that a crash left torn stays a line of its own`() async throws {
    folder.put("one\ntw", in: "log")
    let writer = try await writer(settings())
    try await writer.take(["three"])
    await writer.close()
    #expect(folder.content("log") == "one\ntw\nthree\n")
  }

  @Test func `a file that cannot be opened ends the life, and the next may have more luck`() async {
    let writer = Writer("/dev/null/log", settings(), harness.context)
    do {
      try await writer.open()
      Issue.record("opened")
    } catch {
      #expect("\(error)" == "cannot open '/dev/null/log' for writing: Not a directory (ENOTDIR)")
      #expect((error as? EnvironmentFailure)?.isPermanent == false)
    }
    await writer.close()
  }

  /// Whatever is written in time: of the batches that have ended, records that are not in the file are counted as lost; a batch that has
  /// not ended is delivered again and not counted.
  @Test(arguments: 0..<40) func `every record is in the file or lost`(seed: UInt64) async throws {
    var random = SplitMix(seed)
    let writer = try await writer(settings(rotate: seed % 2 == 0 ? nil : Int.random(in: 3000...200_000, using: &random)))
    var ended: [String] = []
    do {
      while ended.count < 400 {
        // Long lines, so that the buffer of 64 KiB fills.
        let lines = (0..<Int.random(in: 1...20, using: &random)).map { i in
          "\(ended.count + i) " + String(repeating: "x", count: Int.random(in: 0...5000, using: &random))
        }
        disk.isFull = Int.random(in: 0..<12, using: &random) == 0
        do { try await writer.take(lines) } catch let failure as EnvironmentFailure {
          // Records taken before the failure count as delivered too.
          ended += lines.prefix(failure.taken)
          throw failure
        }
        ended += lines
        if Int.random(in: 0..<12, using: &random) == 0 { try await writer.flush() }
      }
    } catch { #expect(error is EnvironmentFailure) }
    await writer.close()
    let parts = folder.names.sorted { $0.count == $1.count ? $0 > $1 : $0.count > $1.count }.map(folder.content)
    #expect(parts.allSatisfy { $0.isEmpty || $0.hasSuffix("\n") })
    let lines = parts.joined().split(separator: "\n").map(String.init)
    #expect(harness.counter("records") == ended.count - lost)
    if folder.names.count <= 5 {
      #expect(Array(lines.prefix(ended.count)) == Array(ended.prefix(lines.count)))
      #expect(lost == max(0, ended.count - lines.count))
    }
  }
}
