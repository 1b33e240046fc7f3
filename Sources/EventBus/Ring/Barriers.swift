public import CMemoryBarrier

/// The publisher's side of the wake-up handshake: see `memory_barrier.h`.
@inlinable @inline(__always)
func stockbusLightBarrier() { stockbus_light_barrier() }
