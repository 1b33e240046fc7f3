#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// One of the two streams a program writes to.
public enum OutputStream: Int32, Hashable, Sendable, CaseIterable {
  case standardOutput = 1
  case standardError = 2
}

extension TerminalCapabilities {
  /// What this process's output can do now; `environment` replaces the process's own.
  public static func detect(_ stream: OutputStream = .standardOutput, environment: [String: String]? = nil) -> TerminalCapabilities {
    detect(descriptor: stream.rawValue, environment: environment ?? processEnvironment)
  }

  static func detect(descriptor: Int32, environment: [String: String]) -> TerminalCapabilities {
    TerminalCapabilities(isTerminal: isatty(descriptor) == 1, size: windowSize(descriptor), environment: environment)
  }

  /// The window's size now, nil where it has none or says 0.
  static func windowSize(_ descriptor: Int32) -> TerminalSize? {
    var window = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else { return nil }
    return TerminalSize(columns: Int(window.ws_col), rows: Int(window.ws_row))
  }

  static var processEnvironment: [String: String] {
    var found: [String: String] = [:]
    for name in names { if let value = getenv(name) { found[name] = String(cString: value) } }
    return found
  }
}
