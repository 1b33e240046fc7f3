import LibC
import StockbusPlugin
import StockbusRuntime

/// Reads lines such as `ticks raise AAPL 10` and executes them; replies go to standard error.
///
/// It has a thread of its own, because reading a terminal or a pipe blocks. The thread ends with its input, or with the process.
struct CommandReader: Sendable {
  let path: String
  let pipeline: Pipeline
  private let began = SystemTimekeeper().uptime

  init(path: String, pipeline: Pipeline) {
    self.path = path
    self.pipeline = pipeline
  }

  /// The longest line in bytes; longer ones are not commands.
  static let longestLine = 4096

  func start() {
    let reader = self
    // Not awaited, because the process may end before its input does.
    Blocking.run { reader.readAll() }
  }

  /// A named pipe is also opened for writing, because otherwise it would end with its first writer.
  private var isPipe: Bool {
    var info = stat()
    return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFIFO
  }

  private func readAll() {
    guard let file = path == "-" ? fdopen(STDIN_FILENO, "r") : fopen(path, isPipe ? "r+" : "r") else {
      Console.log("commands: \(visible(path, limit: 4096)): \(String(cString: strerror(errno)))")
      return
    }
    while let line = Self.next(in: file) {
      switch line {
      case .text(let text): carryOut(text)
      case .tooLong: Console.log("commands: a line of more than \(Self.longestLine) bytes is not a command")
      }
    }
  }

  enum Line: Equatable {
    /// Without its line end.
    case text(String)
    case tooLong
  }

  /// The next line, which only a line feed ends; nil after the last one.
  static func next(in file: UnsafeMutablePointer<FILE>) -> Line? {
    var byte = getc(file)
    if byte == EOF { return nil }
    var bytes: [UInt8] = []
    var isTooLong = false
    while byte != EOF, byte != 10 {
      if bytes.count < longestLine { bytes.append(UInt8(truncatingIfNeeded: byte)) } else { isTooLong = true }
      byte = getc(file)
    }
    return isTooLong ? .tooLong : .text(String(decoding: bytes, as: UTF8.self))
  }

  private func carryOut(_ line: String) {
    guard let first = Command(line: line) else { return }
    let router = CommandRouter(pipeline.commands, components: pipeline.components.map(\.id), width: PageWidth.ofStandardError ?? 100)
    switch router.request(first) {
    case .help(let lines): for line in lines { Console.log(line) }
    case .stop:
      Console.log("stopping: sources end, the rest drains")
      pipeline.stop()
    case .mistake(let text): Console.log(visible("commands: \(text)", limit: 1000))
    case .command(let id, let command):
      Blocking.wait {
        let reply: String
        do throws(CommandError) { reply = try await perform(command, on: id) } catch { reply = error.description }
        Console.reply(ReplyText(reply, from: id))
      }
    }
  }

  /// Executes a command. At the start and between two instances it waits, because a piped command may arrive before its component has
  /// started.
  private func perform(_ command: Command, on id: String) async throws(CommandError) -> String {
    let clock = SystemTimekeeper()
    let asked = clock.uptime
    while true {
      do throws(CommandError) { return try await pipeline.perform(command, on: id) } catch {
        let from = pipeline.runningComponents.contains(id) ? asked : began
        guard case .notRunning = error, clock.uptime < from + Self.longestWait else { throw error }
        try? await clock.sleep(for: .milliseconds(10))
      }
    }
  }

  /// How long a command waits for its component.
  private static let longestWait = Duration.seconds(2)
}
