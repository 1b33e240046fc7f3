internal import LibC

/// One of the two streams a program writes to.
package enum OutputStream: Int32, Hashable, Sendable, CaseIterable {
  case standardOutput = 1
  case standardError = 2
}

extension TerminalCapabilities {
  /// The present capabilities of a device.
  init(_ device: any TerminalDevice, _ stream: OutputStream, environment: [String: String], colors: ColorChoice) {
    self.init(
      isTerminal: device.isTerminal(stream), size: device.windowSize(stream), environment: environment, colors: colors)
  }

  /// The present capabilities of this process's output.
  package static func detect(_ stream: OutputStream = .standardOutput) -> TerminalCapabilities {
    TerminalCapabilities(SystemDevice(), stream, environment: processEnvironment, colors: .auto)
  }

  static var processEnvironment: [String: String] {
    var found: [String: String] = [:]
    for name in names { if let value = getenv(name) { found[name] = String(cString: value) } }
    return found
  }
}
