public import CMemoryBarrier

/// The publisher's side of the wake-up handshake: see `memory_barrier.h`.
@inlinable @inline(__always)
func stockbusLightBarrier() { stockbus_light_barrier() }

/// Asks for the cache lines of a value that will be read next.
@inlinable @inline(__always)
func stockbusPrefetch<T>(_ value: UnsafePointer<T>) {
  let bytes = UnsafeRawPointer(value)
  stockbus_prefetch(bytes)
  stockbus_prefetch(bytes + (MemoryLayout<T>.size - 1))
}
