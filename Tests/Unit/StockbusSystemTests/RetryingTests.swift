import Glibc
import StockbusSystem
import Testing

@Suite struct RetryingTests {
  /// A call with scripted results: return values, or error numbers as negative values.
  private func run(_ script: [Int32]) -> (result: Result<Int32, Errno>, calls: Int) {
    var calls = 0
    func call() -> Int32 {
      defer { calls += 1 }
      guard script[calls] < 0 else { return script[calls] }
      errno = -script[calls]
      return -1
    }
    do throws(Errno) { return (.success(try retrying(call)), calls) } catch { return (.failure(error), calls) }
  }

  @Test func `a call is made again as long as it is interrupted`() {
    #expect(run([0]) == (.success(0), 1))
    #expect(run([7]) == (.success(7), 1))
    #expect(run([-EINTR, -EINTR, -EINTR, 3]) == (.success(3), 4))
  }

  @Test func `whatever else is wrong is thrown at once`() {
    #expect(run([-EBADF]) == (.failure(.badFileDescriptor), 1))
    #expect(run([-EINTR, -EAGAIN, 3]) == (.failure(.resourceTemporarilyUnavailable), 2))
  }

  @Test func `a poll goes on after a signal`() throws {
    // A handler without SA_RESTART, so that the system call is cut short.
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in }
    var found = sigaction()
    #expect(sigaction(SIGURG, &action, &found) == 0)
    defer { sigaction(SIGURG, &found, nil) }
    let (readEnd, writeEnd) = try FileDescriptor.pipe()
    defer {
      try? readEnd.close()
      try? writeEnd.close()
    }
    let waiter = Waiter(readEnd.rawValue)
    // However often it is interrupted, before or during the wait, it ends with the byte that comes last.
    for _ in 0..<100 {
      waiter.interrupt()
      sched_yield()
    }
    _ = try [UInt8]([1]).withUnsafeBytes { try writeEnd.writeOnce($0) }
    #expect(waiter.result() == 1)
  }
}

private func == (a: (result: Result<Int32, Errno>, calls: Int), b: (Result<Int32, Errno>, Int)) -> Bool {
  a.result == b.0 && a.calls == b.1
}

/// A thread that waits until a descriptor is readable.
private final class Waiter {
  private var thread = pthread_t()

  init(_ descriptor: Int32) {
    pthread_create(
      &thread, nil,
      { argument in
        var entry = pollfd(fd: Int32(Int(bitPattern: argument)), events: Int16(POLLIN), revents: 0)
        let ready = (try? retrying { poll(&entry, 1, -1) }) ?? -1
        return UnsafeMutableRawPointer(bitPattern: Int(ready))
      }, UnsafeMutableRawPointer(bitPattern: Int(descriptor)))
  }

  func interrupt() { pthread_kill(thread, SIGURG) }

  func result() -> Int {
    var value: UnsafeMutableRawPointer?
    pthread_join(thread, &value)
    return Int(bitPattern: value)
  }
}
