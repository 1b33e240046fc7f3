import Glibc

/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}

/// A thread with a result.
///
/// Unchecked because `join` is what orders the write of the result before its reading.
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
