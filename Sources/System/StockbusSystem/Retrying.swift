internal import LibC

/// Repeats a system call while signals interrupt it. Returns its result; if that is below zero, throws `errno`.
///
/// For calls that swift-system does not provide, such as `poll`, `flock` and `waitpid`; it repeats its own calls itself.
@discardableResult
package func retrying<Value: SignedInteger>(_ call: () -> Value) throws(Errno) -> Value {
  while true {
    let value = call()
    if value >= 0 { return value }
    let error = Errno(rawValue: errno)
    if error != .interrupted { throw error }
  }
}

/// Adds the error type to calls of swift-system, which always throw an `Errno`, although most declarations do not declare it.
package func throwingErrno<Value>(_ call: () throws -> Value) throws(Errno) -> Value {
  do { return try call() } catch {
    guard let error = error as? Errno else { preconditionFailure("a system call threw \(error)") }
    throw error
  }
}
