/// The bytes of a file, decompressed where the file is gzip, whatever its name.
struct ByteStream: ~Copyable {
  private var raw: RawBytes
  private var inflater: Inflater?
  /// True where bytes come when they come.
  let isLive: Bool

  /// Nothing.
  init() {
    raw = RawBytes()
    isLive = false
  }

  /// Throws where the file cannot be opened or is in a form that is not read; the first bytes tell.
  init(_ contents: ReplayContents, name: String, blockSize: Int) throws(ReplayError) {
    var raw = try RawBytes(contents, name: name)
    let magic = try Self.magic(&raw)
    for (signature, form, remedy) in Self.foreign where magic.starts(with: signature) {
      throw ReplayError(code: .unsupported, file: name, place: nil, message: "is \(form); \(remedy)")
    }
    let inflater = magic == Self.gzip ? try Inflater(name: name, inputSize: min(blockSize, 64 << 10)) : nil
    isLive = raw.isLive
    self.raw = raw
    self.inflater = inflater
  }

  /// The first bytes, as far as they are a signature's: of a pipe that has sent something short no more is waited for.
  private static func magic(_ raw: inout RawBytes) throws(ReplayError) -> [UInt8] {
    let signatures = foreign.map(\.0) + [gzip]
    var magic: [UInt8] = []
    while signatures.contains(where: { $0.count > magic.count && $0.starts(with: magic) }) {
      let more = try raw.peek(magic.count + 1)
      if more.count == magic.count { break }
      magic = more
    }
    return magic
  }

  /// Bytes of the file read so far, as it lies on the disk.
  var offset: Int { raw.offset }
  /// Bytes the file has on the disk; nil for what is no plain file.
  var size: Int? { raw.size }

  /// Whether reading would not wait.
  var isReady: Bool {
    mutating get { inflater == nil ? raw.isReady : inflater!.isReady(&raw) }
  }

  /// Fills up to `capacity` bytes; 0 at the end.
  mutating func read(into: UnsafeMutablePointer<UInt8>, capacity: Int) throws(ReplayError) -> Int {
    guard inflater != nil else { return try raw.read(into: into, capacity: capacity) }
    return try inflater!.read(from: &raw, into: into, capacity: capacity)
  }

  private static let gzip: [UInt8] = [0x1f, 0x8b]
  private static let foreign: [([UInt8], String, String)] = [
    ([0x28, 0xb5, 0x2f, 0xfd], "compressed with zstd", "only gzip is decompressed"),
    ([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], "compressed with xz", "only gzip is decompressed"),
    ([0x42, 0x5a, 0x68, 0x39, 0x31, 0x41], "compressed with bzip2", "only gzip is decompressed"),
    ([0x50, 0x4b, 0x03, 0x04], "a zip archive", "only gzip is decompressed"),
    ([0xff, 0xfe], "in UTF-16", "only UTF-8 is read"),
    ([0xfe, 0xff], "in UTF-16", "only UTF-8 is read"),
  ]
}
