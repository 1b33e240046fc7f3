internal import CMemoryBarrier

extension Span {
  /// Prefetches the cache line in which an element begins, if there is such an element: the other side of a ring may be writing the lines
  /// behind the last one. A span gives no address, so it is computed here; nothing is read or written at it.
  @inline(__always)
  func prefetch(_ index: Int) {
    withUnsafeBufferPointer { elements in
      guard elements.indices.contains(index), let first = elements.baseAddress else { return }
      stockbus_prefetch(UnsafeRawPointer(first + index))
    }
  }
}
