/// No device: output is discarded, and there is no keyboard; a window only in thought.
struct NoDevice: TerminalDevice {
  var window: TerminalSize?

  func isTerminal(_: OutputStream) -> Bool { window != nil }
  func windowSize(_: OutputStream) -> TerminalSize? { window }
  func write(_: [UInt8], to _: OutputStream) -> Int32 { 0 }
  func noteBlock(isLive _: Bool) {}
  func openKeyboard(_: @escaping @Sendable (KeyboardEvent) -> Void) throws(ScreenRefusal) -> any TerminalKeyboard { throw .noTerminal }
}
