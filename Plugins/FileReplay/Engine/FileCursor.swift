internal import MarketData

/// The events of one file, in the file's order.
struct FileCursor<E: ReplayEvent>: ~Copyable {
  private var reader: LineReader
  private var parser: RowParser<E>

  /// Opens the file and looks at its beginning where the format is not given. The options have been validated.
  init(_ input: ReplayInput, _ options: ReplayOptions) throws(ReplayError) {
    var reader = try LineReader(input.contents, name: input.name, blockSize: options.blockSize, limit: options.lineLimit)
    parser = try RowParser(input, options, isJSON: options.isJSON(&reader))
    self.reader = reader
  }

  var counts: ReplayCounts { parser.counts }
  /// Bytes of the file read so far, as it lies on the disk.
  var bytesRead: Int { reader.bytesRead }
  /// Bytes the file has on the disk; nil for what is no plain file.
  var size: Int? { reader.size }

  /// Hands out the next events, at most `limit`, and answers how many; 0 only at the end or for a limit of 0.
  ///
  /// Malformed rows go to `malformed`, in the file's order; where it answers `stop` they are thrown. After an error the cursor is
  /// at its end.
  mutating func next(
    limit: Int, into body: (E) -> Void, malformed: (MalformedRow) -> MalformedPolicy
  ) throws(ReplayError) -> Int {
    try parser.next(&reader, limit: limit, into: body, malformed: malformed)
  }
}
