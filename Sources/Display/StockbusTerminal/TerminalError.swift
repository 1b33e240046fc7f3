internal import LibC

/// Why nothing more can be written to the terminal or the file in its place.
package struct TerminalError: Error, Hashable, Sendable {
  package var stream: OutputStream
  /// The system's error number, such as `EPIPE`.
  package var code: Int32

  /// True if the reader of a pipe has closed it (`stockbus run … | head`): a reason to end quietly.
  package var isBrokenPipe: Bool { code == EPIPE }
}

extension TerminalError: CustomStringConvertible {
  package var description: String {
    "cannot write to standard \(stream == .standardOutput ? "output" : "error"): \(String(cString: strerror(code)))"
  }
}
