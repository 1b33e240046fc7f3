/// The bytes of a file in UTF-8, decompressed if the file is gzip, whatever its name.
struct ByteStream: ~Copyable {
  private var raw: RawBytes
  private var inflater: GzipReader?
  private var transcoder: Transcoder?
  /// True if reading may have to wait for the writer, as with a pipe.
  let isLive: Bool

  /// An empty stream.
  init() {
    raw = RawBytes()
    isLive = false
  }

  /// Throws if the file cannot be opened, or if its first bytes show an unsupported format.
  init(_ contents: ReplayContents, name: String, blockSize: Int, encoding: TextEncoding = .utf8) throws(ReplayError) {
    var raw = try RawBytes(contents, name: name)
    let magic = try Self.magic(&raw)
    for (signature, form, remedy) in Self.foreign where magic.starts(with: signature) {
      throw ReplayError(code: .unsupported, file: name, place: nil, message: "is \(form); \(remedy)")
    }
    let inflater = magic == Self.gzip ? try GzipReader(name: name, inputSize: min(blockSize, 64 << 10)) : nil
    isLive = raw.isLive
    transcoder = Transcoder(Self.marks.contains(magic) ? .utf16 : encoding)
    self.raw = raw
    self.inflater = inflater
  }

  /// The first bytes, as long as they match a signature, so that there is no wait for more if a pipe has sent other data.
  private static func magic(_ raw: inout RawBytes) throws(ReplayError) -> [UInt8] {
    let signatures = foreign.map(\.0) + [gzip] + marks
    var magic: [UInt8] = []
    while signatures.contains(where: { $0.count > magic.count && $0.starts(with: magic) }) {
      let more = try raw.peek(magic.count + 1)
      if more.count == magic.count { break }
      magic = more
    }
    return magic
  }

  /// Bytes of the file read so far, before decompression.
  var offset: Int { raw.offset }
  /// The size of the file in bytes, before decompression; nil if it is not a plain file.
  var size: Int? { raw.size }

  /// True if reading would not wait.
  var isReady: Bool {
    mutating get { transcoder?.isReady ?? false || (inflater == nil ? raw.isReady : inflater!.isReady(&raw)) }
  }

  /// Reads up to `capacity` bytes; returns 0 at the end.
  mutating func read(into: UnsafeMutablePointer<UInt8>, capacity: Int) throws(ReplayError) -> Int {
    guard transcoder != nil else { return try readBytes(into: into, capacity: capacity) }
    var transcoder = self.transcoder.take()
    defer { self.transcoder = transcoder }
    return try transcoder!.read(into: into, capacity: capacity) { block throws(ReplayError) in
      try readBytes(into: block.baseAddress.unsafelyUnwrapped, capacity: block.count)
    }
  }

  private mutating func readBytes(into: UnsafeMutablePointer<UInt8>, capacity: Int) throws(ReplayError) -> Int {
    guard inflater != nil else { return try raw.read(into: into, capacity: capacity) }
    return try inflater!.read(from: &raw, into: into, capacity: capacity)
  }

  private static let gzip: [UInt8] = [0x1f, 0x8b]
  private static let foreign: [([UInt8], String, String)] = [
    ([0x28, 0xb5, 0x2f, 0xfd], "compressed with zstd", "only gzip is decompressed"),
    ([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], "compressed with xz", "only gzip is decompressed"),
    ([0x42, 0x5a, 0x68, 0x39, 0x31, 0x41], "compressed with bzip2", "only gzip is decompressed"),
    ([0x50, 0x4b, 0x03, 0x04], "a zip archive, as .xlsx files are", "only gzip is decompressed; save a spreadsheet as CSV"),
    (HistoryFile.magic, "a database", "a history is read from its file, by its path"),
  ]
  /// The byte-order marks of UTF-16.
  private static let marks: [[UInt8]] = [[0xff, 0xfe], [0xfe, 0xff]]
}
