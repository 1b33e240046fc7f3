/// Numbers of the Parquet format (parquet.thrift).
enum Parquet {
  static let magic = Array("PAR1".utf8)
  static let createdBy = "stockbus"
  /// Checksums of the parts of a file that was made here: `ParquetWriter` says of what.
  static let checksumKey = "stockbus.xxh64"
  static let arrowKey = "ARROW:schema"

  enum Physical: Int32 {
    case boolean, int32, int64, int96, float, double, byteArray, fixed
  }

  enum Encoding: Int32 {
    case plain = 0
    case plainDictionary = 2
    case runLengths, bitPacked, delta, deltaLength, deltaText, dictionary, byteStreamSplit
  }

  enum Codec: Int32 {
    case none, snappy, gzip, lzo, brotli, lz4, zstd, lz4Raw
  }

  enum Page: Int32 {
    case data, index, dictionary, dataV2
  }

  /// The bytes of a decimal with 19 digits.
  static let decimalWidth = 9
}
