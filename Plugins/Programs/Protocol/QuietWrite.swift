internal import LibC
internal import StockbusSystem

extension FileDescriptor {
  /// Writes as many of the bytes as there is room for; returns how many. A pipe without a reader is an error, and never the signal SIGPIPE,
  /// which would end a process that does not ignore it.
  func writeOnceQuietly(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    #if os(Linux)
    var pipe = sigset_t()
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    var before = sigset_t()
    pthread_sigmask(SIG_BLOCK, &pipe, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    do { return try writeOnce(bytes) } catch {
      // The signal is pending for this thread; it is taken before it can be delivered.
      var atOnce = timespec()
      if error == .brokenPipe { sigtimedwait(&pipe, nil, &atOnce) }
      throw error
    }
    #else
    _ = fcntl(rawValue, F_SETNOSIGPIPE, 1)
    return try writeOnce(bytes)
    #endif
  }
}
