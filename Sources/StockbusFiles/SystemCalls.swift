/// The calls by which a file can fail after it was opened: the system's, or those of a test that fails as it likes.
struct SystemCalls: Sendable {
  /// Hands bytes to the system: the count it took, or -1 with `errno` set.
  var write: @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int = Descriptor.system
  /// 0 or an error number, as of all the others.
  var truncate: @Sendable (_ descriptor: Int32, _ size: Int) -> Int32 = { Descriptor.cut($0, to: $1) }
  var sync: @Sendable (_ descriptor: Int32) -> Int32 = { Descriptor.sync($0) }
  var close: @Sendable (_ descriptor: Int32) -> Int32 = { Descriptor.shut($0) }
}
