#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Makes a system call again for as long as signals interrupt it; returns what it returns, or throws why it fails (below zero, with `errno`).
///
/// For the calls that swift-system has not, such as `poll`, `flock` and `waitpid`: those that it has it makes again by itself.
@discardableResult
package func retrying<Value: SignedInteger>(_ call: () -> Value) throws(Errno) -> Value {
  while true {
    let value = call()
    if value >= 0 { return value }
    let error = Errno(rawValue: errno)
    if error != .interrupted { throw error }
  }
}

/// What swift-system throws, with its type: it is always an `Errno`, which most of its declarations do not say.
package func throwingErrno<Value>(_ call: () throws -> Value) throws(Errno) -> Value {
  do { return try call() } catch {
    guard let error = error as? Errno else { preconditionFailure("a system call threw \(error)") }
    throw error
  }
}
