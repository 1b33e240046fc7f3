/// No device: output is discarded, and there is no window and no keyboard.
struct NoDevice: TerminalDevice {
  func isTerminal(_: OutputStream) -> Bool { false }
  func windowSize(_: OutputStream) -> TerminalSize? { nil }
  func write(_: [UInt8], to _: OutputStream) -> Int32 { 0 }
  func noteBlock(isLive _: Bool) {}
  func openKeyboard(_: @escaping @Sendable (KeyboardEvent) -> Void) throws(ScreenRefusal) -> any TerminalKeyboard { throw .noTerminal }
}
