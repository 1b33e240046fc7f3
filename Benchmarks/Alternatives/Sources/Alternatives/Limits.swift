internal import CHeap
internal import NIOCore

/// What ours and NIO's decoder with its aggregator make of bytes that a limit or the protocol forbids, and the memory that both hold while
/// something is incomplete. The limit is 1 MiB a message, and they read as a client where nothing else is said.
enum Limits {
  static func print() {
    Swift.print("| what comes | ours | NIO |\n|---|---|---|")
    for (what, bytes) in forbidden { Swift.print("| \(what) | \(result(.ours, bytes)) | \(result(.nio, bytes)) |") }
    let unmasked = [Decoding.Kind.ours, .nio].map { result($0, hello, fromClient: true) }
    Swift.print("| a frame without a mask from a client | \(unmasked.joined(separator: " | ")) |")
    Swift.print("\n| while this is incomplete, bytes are held | ours | NIO |\n|---|---:|---:|")
    for (what, reads) in held { Swift.print("| \(what) | \(memory(.ours, reads)) | \(memory(.nio, reads)) |") }
    Swift.print("\n| 64 texts with one flush: buffers for the socket | ours | NIO | NIO, with room for heads |\n|---|---:|---:|---:|")
    for isMasked in [false, true] {
      let work = FrameWork(bytes: 200, count: 64, isMasked: isMasked)
      let buffers = [Encoding.Kind.ours, .nio, .room].map { "\(Encoding($0).buffers(of: work))" }
      Swift.print("| \(isMasked ? "masked" : "plain") | \(buffers.joined(separator: " | ")) |")
    }
  }

  private static let hello = frame(0x81, "hello")

  private static var forbidden: [(String, [UInt8])] {
    let mebibyte = [UInt8](repeating: 97, count: 1 << 20)
    return [
      ("a frame of 2^40 bytes, its head only", head(0x82, 1 << 40, form: 8)),
      ("a frame of 2^63 bytes, its head only", head(0x82, 1 << 63, form: 8)),
      ("a frame of a byte more than the limit, its head only", head(0x82, 1 << 20 + 1, form: 8)),
      ("a frame of just the limit", frame(0x82, mebibyte)),
      ("a fragment of just the limit, and the head of one of a byte", frame(0x02, mebibyte) + head(0x80, 1, form: 1)),
      ("a fragment of just the limit, and one of a byte", frame(0x02, mebibyte) + frame(0x80, "a")),
      ("a fragment of just the limit, and the head of another", frame(0x02, mebibyte) + head(0x00, 1 << 20, form: 8)),
      ("a ping of 126 bytes, its head only", head(0x89, 126, form: 2)),
      ("a ping of 5 bytes, its length in two", head(0x89, 5, form: 2) + Array("hello".utf8)),
      ("a ping in parts, its head only", head(0x09, 5, form: 1)),
      ("a text with a reserved bit, its head only", head(0xc1, 5, form: 1)),
      ("a text with a reserved bit", frame(0xc1, "hello")),
      ("a frame of kind 3", frame(0x83, "hello")),
      ("a frame of kind 11", frame(0x8b, "hello")),
      ("a text of 5 bytes, its length in two", head(0x81, 5, form: 2) + Array("hello".utf8)),
      ("a text of 5 bytes, its length in eight", head(0x81, 5, form: 8) + Array("hello".utf8)),
      ("the end of a message that has no beginning", frame(0x80, "hello")),
      ("a text inside another one, its head only", frame(0x01, "hello") + head(0x81, 5, form: 1)),
      ("a text inside another one", frame(0x01, "hello") + frame(0x81, "hello")),
      ("a ping inside a text", frame(0x01, "hello") + frame(0x89, "") + frame(0x80, "hello")),
      ("a masked frame from a server", head(0x81, 5, form: 1, mask: 7) + Array("hello".utf8)),
      ("a text that is not UTF-8", frame(0x81, [0xc3, 0x28])),
      ("a character in two fragments", frame(0x01, [0xc3]) + frame(0x80, [0xa4])),
      ("a close frame of one byte", frame(0x88, [3])),
      ("a close frame with code 1005", frame(0x88, [3, 0xed])),
      ("a close frame with code 99", frame(0x88, [0, 99])),
      ("a close frame with a reason that is not UTF-8", frame(0x88, [3, 0xe8, 0xc3, 0x28])),
      ("a text after a frame that is too large", head(0x82, 1 << 20 + 1, form: 8) + hello),
      ("a text after the end of a message without a beginning", frame(0x80, "x") + hello),
    ]
  }

  private static func result(_ kind: Decoding.Kind, _ bytes: [UInt8], fromClient: Bool = false) -> String {
    let decoding = Decoding(kind, fromClient: fromClient, keepsPieces: true)
    decoding.take(ByteBuffer(bytes: bytes), reads: 1 << 16)
    let taken = zip(decoding.kinds, decoding.digest.pieces ?? []).map { "\($0) (\($1.count))" }
    // After its first error NIO's decoder reports every read once more.
    let errors = decoding.errors.prefix(1).map { "**refused**: \($0.prefix(90))" }
    let words = taken.map { "taken: \($0)" } + errors
    return words.isEmpty ? "waits for more" : words.joined(separator: "; ")
  }

  /// What is read, each in memory of its own.
  private static var held: [(String, () -> [[UInt8]])] {
    let kilobyte = [UInt8](repeating: 97, count: 1024)
    let mebibyte = [UInt8](repeating: 97, count: 1 << 20)
    let (first, next) = (frame(0x02, "a"), frame(0x00, "a"))
    return [
      ("a frame of 1 MiB, all but a byte, in reads of 16 KiB", { cut(frame(0x82, mebibyte).dropLast(), 16_384) }),
      (
        "the first byte of a frame, after 64 KiB of whole ones in the same read",
        { [(0..<63).flatMap { _ in frame(0x82, kilobyte) } + [0x82]] }
      ),
      ("1,000 fragments of a byte, each in a read of its own", { [first] + (1..<1_000).map { _ in next } }),
      (
        "64 fragments of a byte, each after 63 KiB of pings in its read",
        {
          let pings = (0..<512).flatMap { _ in frame(0x89, Array(kilobyte.prefix(124))) }
          return (0..<64).map { number in (number == 0 ? first : next) + pings }
        }
      ),
      ("200,000 fragments of a byte, in reads of 64 KiB", { cut(first + (1..<200_000).flatMap { _ in next }, 65_536) }),
      (
        "200,000 fragments of no byte, in reads of 64 KiB",
        { cut(frame(0x02, "") + (1..<200_000).flatMap { _ in frame(0x00, "") }, 65_536) }
      ),
      (
        "a fragment of 1 MiB, and another of which a byte is not there, in reads of 64 KiB",
        { cut(frame(0x02, mebibyte) + frame(0x80, mebibyte).dropLast(), 65_536) }
      ),
    ]
  }

  private static func memory(_ kind: Decoding.Kind, _ reads: () -> [[UInt8]]) -> String {
    let reads = reads()
    let decoding = Decoding(kind, fromClient: false)
    // What a channel and its handlers need in any case.
    decoding.take(ByteBuffer(bytes: hello), reads: 64)
    let before = stockbus_heap_in_use()
    for read in reads { decoding.take(ByteBuffer(bytes: read), reads: read.count) }
    let after = stockbus_heap_in_use()
    let errors = decoding.errors.first.map { ", refused: \($0.prefix(60))" } ?? ""
    return withExtendedLifetime((decoding, reads)) { "\(Int(after) - Int(before))\(errors)" }
  }

  private static func cut(_ bytes: [UInt8], _ length: Int) -> [[UInt8]] {
    stride(from: 0, to: bytes.count, by: length).map { Array(bytes[$0..<min($0 + length, bytes.count)]) }
  }

  private static func frame(_ first: UInt8, _ text: String) -> [UInt8] { frame(first, Array(text.utf8)) }

  private static func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
    head(first, UInt64(payload.count), form: payload.count < 126 ? 1 : payload.count < 1 << 16 ? 2 : 8) + payload
  }

  /// A head whose length is written in one, two or eight bytes.
  private static func head(_ first: UInt8, _ length: UInt64, form: Int, mask: UInt32? = nil) -> [UInt8] {
    var bytes = ByteBuffer(bytes: [first])
    let bit: UInt8 = mask == nil ? 0 : 0x80
    switch form {
    case 1: bytes.writeInteger(bit | UInt8(length))
    case 2:
      bytes.writeInteger(bit | 126)
      bytes.writeInteger(UInt16(length))
    default:
      bytes.writeInteger(bit | 127)
      bytes.writeInteger(length)
    }
    if let mask { bytes.writeInteger(mask) }
    return Array(bytes.readableBytesView)
  }
}
