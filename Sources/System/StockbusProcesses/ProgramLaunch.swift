/// A program to be run beside this process: no shell interprets its arguments, and it gets exactly this environment.
package struct ProgramLaunch: Sendable {
  /// The resources that the program may use; nil is the limit of this process.
  package struct Limits: Sendable, Hashable {
    /// Address space, in bytes.
    package var memory: Int?
    /// Time on a processor.
    package var cpu: Duration?
    /// Open files.
    package var files: Int?

    package init(memory: Int? = nil, cpu: Duration? = nil, files: Int? = nil) {
      self.memory = memory
      self.cpu = cpu
      self.files = files
    }
  }

  package let program: String
  package let arguments: [String]
  package let environment: [String: String]
  /// The program's working folder; nil is that of this process.
  package let folder: String?
  package let limits: Limits

  package init(
    _ program: String, _ arguments: [String], environment: [String: String], folder: String? = nil, limits: Limits = Limits()
  ) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
    self.folder = folder
    self.limits = limits
  }

  /// Sets the limits, waits for a line on standard input, and then becomes the program. So a program never runs unwatched: if this process
  /// ends before that line, the shell reads the end of its input and ends. `read` takes no byte behind the line.
  var script: String {
    var words: [String] = []
    if let memory = limits.memory { words.append("ulimit -v \(max(1, memory / 1024)) || exit 125") }
    if let cpu = limits.cpu { words.append("ulimit -t \(max(1, cpu.components.seconds)) || exit 125") }
    if let files = limits.files { words.append("ulimit -n \(files) || exit 125") }
    words.append(#"IFS= read -r go || exit 125; exec "$0" "$@""#)
    return words.joined(separator: "; ")
  }
}
