internal import StockbusPlugin

/// The system calls that can fail after a file was opened; a run with faults has others.
package struct SystemCalls: Service {
  package static let fallback = SystemCalls()

  /// Passes bytes to the system; returns the number taken, or -1 with `errno` set.
  package var write: @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int = Descriptor.system
  /// Returns 0 or an error number, as the following calls do.
  var truncate: @Sendable (_ descriptor: Int32, _ size: Int) -> Int32 = { Descriptor.cut($0, to: $1) }
  var sync: @Sendable (_ descriptor: Int32) -> Int32 = { Descriptor.sync($0) }
  var close: @Sendable (_ descriptor: Int32) -> Int32 = { Descriptor.shut($0) }

  package init() {}
}
