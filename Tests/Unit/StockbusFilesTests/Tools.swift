import Glibc

/// A thread with a result.
///
/// Unchecked because `join` orders the write of the result before its read.
final class Thread: @unchecked Sendable {
  private let body: @Sendable () -> Int
  private var result = 0
  private var handle = pthread_t()

  init(_ body: @escaping @Sendable () -> Int) {
    self.body = body
    pthread_create(
      &handle, nil,
      {
        let thread = Unmanaged<Thread>.fromOpaque($0!).takeRetainedValue()
        thread.result = thread.body()
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
  }

  func join() -> Int {
    pthread_join(handle, nil)
    return result
  }
}

extension TemporaryFolder {
  func move(_ name: String, to target: String) { rename(file(name), file(target)) }
}
