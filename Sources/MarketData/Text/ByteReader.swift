/// Bytes being read; every failure names its place.
///
/// Unsafe inside: it walks a pointer. Whoever makes one keeps the bytes alive while it is used.
public struct ByteReader: ~Copyable {
  /// The next byte.
  public var at: UnsafePointer<UInt8>
  public let start: UnsafePointer<UInt8>
  public let end: UnsafePointer<UInt8>

  /// Where an empty buffer points; never read, never freed.
  @usableFromInline nonisolated(unsafe) static let nothing = UnsafePointer(UnsafeMutablePointer<UInt8>.allocate(capacity: 1))

  @inlinable
  public init(_ bytes: UnsafeBufferPointer<UInt8>) {
    start = bytes.baseAddress ?? Self.nothing
    at = start
    end = start + bytes.count
  }

  /// Bytes read so far.
  @inlinable public var offset: Int { at - start }
  @inlinable public var isAtEnd: Bool { at == end }
  /// The next byte, or 0 at the end.
  @inlinable @inline(__always) public var peek: UInt8 { at < end ? at.pointee : 0 }

  @inlinable @inline(__always)
  public mutating func skip(_ byte: UInt8) throws(TextError) {
    if at < end, at.pointee == byte { at += 1 } else { throw fail(.unexpected) }
  }

  /// Goes past `bytes[from...]` and answers true, or stays and answers false.
  @inlinable @inline(__always)
  public mutating func matches(_ bytes: UnsafeBufferPointer<UInt8>, from: Int = 0) -> Bool {
    let n = bytes.count &- from
    if n <= 0 { return true }
    if end - at < n { return false }
    let b = bytes.baseAddress.unsafelyUnwrapped + from
    var i = 0
    while i < n {
      if at[i] != b[i] { return false }
      i &+= 1
    }
    at += n
    return true
  }

  public borrowing func expectEnd() throws(TextError) { if at != end { throw fail(.unexpected) } }

  @usableFromInline
  borrowing func fail(_ code: TextError.Code) -> TextError { TextError(code, at: at - start) }
}
