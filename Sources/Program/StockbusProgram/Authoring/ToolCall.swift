import ArgumentParser
import LibC
import StockbusLoading
import StockbusPlugin
import StockbusSystem

/// An author's tool, such as `swift test`, which replaces this process: so the tool has the terminal, the signals and the exit status.
struct ToolCall {
  private let words: [String]
  private let folder: String

  init(_ words: [String], in folder: String) {
    self.words = words
    self.folder = folder
  }

  /// Replaces this process by the tool. It returns only if that fails, with the status to exit with; the reason is printed.
  func become() -> ExitCode {
    if words.contains(where: { $0.utf8.contains(0) }) { return fail("contains a NUL character") }
    if chdir(folder) != 0 { return fail("cannot be run in \(shown(folder, limit: 200)): \(Errno(rawValue: errno))") }
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    execvp(words[0], &arguments)
    let error = Errno(rawValue: errno)
    return fail(error == .noSuchFileOrDirectory ? "was not found; is it installed?" : "could not be started: \(error)")
  }

  private func fail(_ predicate: String) -> ExitCode {
    StandardError.write("error: \(shown(words[0], limit: 200)) \(predicate)")
    return .failure
  }

  /// Reports that a manifest names no command; returns the status to exit with.
  static func missing(_ command: String, in folder: String) -> ExitCode {
    StandardError.write("\(folder == "." ? "" : folder + "/")\(PluginManifest.file):1:1: error: '\(command)' is missing")
    return ExitStatus.config
  }
}
