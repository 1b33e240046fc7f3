internal import MarketData

/// Reading rows of a known shape.
extension RowShape {
  /// Reads a row from `start` on and returns the position of its newline. Returns nil if the row has another shape or a malformed value;
  /// some values may be set then. The newline may be the one after the last byte that was read from the file.
  ///
  /// Values in the usual forms are read directly. For other forms, and for unused values, `other` is called, which moves the pointer past
  /// the value and returns true if it is valid.
  @inline(always)
  static func read(
    _ pieces: UnsafeMutablePointer<Piece>, _ bytes: UnsafeMutablePointer<UInt8>, _ start: UnsafePointer<UInt8>,
    into values: inout ValueDecoder, other: (UnsafePointer<Piece>, inout UnsafePointer<UInt8>, inout ValueDecoder) -> Bool
  ) -> UnsafePointer<UInt8>? {
    var p = start
    var before = start
    var piece = pieces
    while true {
      let count = piece.pointee.count
      if (ByteWords.load(p) ^ piece.pointee.head) & piece.pointee.headMask != 0 { return nil }
      if count > 8 {
        if count > 16, !same(p, bytes + piece.pointee.place, count) { return nil }
        if ByteWords.load(p + count - 8) != piece.pointee.tail { return nil }
      }
      p += count
      let value = p
      let isRead: Bool
      switch piece.pointee.use {
      case .symbol: isRead = values.quickSymbol(&p, Int(piece.pointee.field), stop: piece.pointee.stop)
      case .price: isRead = values.quickPrice(&p, Int(piece.pointee.field), stop: piece.pointee.stop)
      case .quantity: isRead = values.quickQuantity(&p, Int(piece.pointee.field), stop: piece.pointee.stop)
      case .time: isRead = values.quickTime(&p, Int(piece.pointee.field), stop: piece.pointee.stop)
      case .nothing, .other: isRead = false
      case .again:
        p = before
        isRead = true
      case .end:
        if p.pointee == 13 { p += 1 }
        return p.pointee == 10 ? p : nil
      }
      if !isRead, !other(piece, &p, &values) { return nil }
      before = value
      piece += 1
    }
  }

  /// True if the bytes after the first eight agree, except for the last few. They are compared one by one: a newline, which no shape
  /// contains, ends the comparison before it leaves the readable bytes.
  @inline(never)
  private static func same(_ p: UnsafePointer<UInt8>, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int) -> Bool {
    var at = 8
    while at < count - 8 {
      if ByteWords.load(p + at) != ByteWords.load(bytes + at) { return false }
      at += 8
    }
    return true
  }

  /// True if a row begins like the rows of this shape.
  @inline(always)
  func begins(_ start: UnsafePointer<UInt8>) -> Bool {
    isComplete && (ByteWords.load(start) ^ pieces.pointee.head) & pieces.pointee.headMask == 0
  }
}
