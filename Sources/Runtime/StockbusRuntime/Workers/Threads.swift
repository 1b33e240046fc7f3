// Threads and thread-local variables, for which the standard library has no API.
internal import CMemoryBarrier
internal import LibC

/// Starts a detached thread that runs until the process ends.
///
/// Traps if the system cannot create a thread, as the default pool does, because then nothing could run.
func startThread(_ name: String, _ body: @escaping @Sendable () -> Void) {
  // Unsafe because the body is passed through C's `void *`: retained here, released by the thread.
  let box = Unmanaged.passRetained(ThreadBody(name, body))
  #if canImport(Darwin)
  var thread: pthread_t?
  #else
  var thread = pthread_t()
  #endif
  let status = pthread_create(&thread, nil, runThread, box.toOpaque())
  precondition(status == 0, "no thread available: \(String(cString: strerror(status)))")
  pthread_detach(thread)
}

private final class ThreadBody: Sendable {
  let name: String
  let run: @Sendable () -> Void

  init(_ name: String, _ run: @escaping @Sendable () -> Void) {
    self.name = name
    self.run = run
  }
}

#if canImport(Darwin)
private func runThread(_ box: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
  let body = Unmanaged<ThreadBody>.fromOpaque(box).takeRetainedValue()
  stockbus_name_thread(body.name)
  body.run()
  return nil
}
#else
private func runThread(_ box: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let box else { return nil }
  let body = Unmanaged<ThreadBody>.fromOpaque(box).takeRetainedValue()
  stockbus_name_thread(body.name)
  body.run()
  return nil
}
#endif

/// The worker whose thread this is, in a thread-local variable.
///
/// Unsafe because C stores a `void *`; a worker lives as long as its pool, and its thread no longer.
struct CurrentWorker: Sendable {
  private let key: pthread_key_t

  init() {
    var key = pthread_key_t()
    let status = pthread_key_create(&key, nil)
    precondition(status == 0, "no thread-local variable available")
    self.key = key
  }

  var worker: Worker? {
    get { pthread_getspecific(key).map { Unmanaged.fromOpaque($0).takeUnretainedValue() } }
    nonmutating set { pthread_setspecific(key, newValue.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }) }
  }
}
