internal import MarketData

/// The beginning of a file, looked at before a run: what keeps the file from being replayed at all is told where the configuration is
/// checked, in the words in which the run would tell it.
///
/// Nothing of it becomes an event or a symbol; the run reads the file by itself, from its first byte.
enum FileHead {
  /// Bytes of the file as it lies on the disk. A header that is longer is looked at by the run.
  static let size = 16 << 10

  /// What is wrong; nil where nothing is as far as it goes, or where the file cannot be read just now.
  static func fault<E: ReplayEvent>(of path: String, _ options: ReplayOptions, as _: E.Type, size: Int = size) -> String? {
    do throws(ReplayError) {
      try look(ReplayInput(name: path, contents: .head(path, size)), options, as: E.self, size)
      return nil
    } catch {
      switch error.code {
      // It ends where no more was read.
      case .badGzip where error.place == .byte(size + 1): return nil
      case .unreadable, .halted, .malformedRow, .badOption: return nil
      case .unsupported, .badGzip, .badColumns: break
      }
      return switch error.place {
      case .line(let line): "line \(line): \(error.message)"
      case .byte(let byte): "byte \(byte): \(error.message)"
      case nil: "which \(error.message)"
      }
    }
  }

  /// What is hardly meant: that none of the whole rows at its beginning is an event. Nil where one is, where there is none, and for raw
  /// captures, whose messages need not give events.
  static func doubt<E: ReplayEvent>(
    about path: String, _ options: ReplayOptions, as _: E.Type, event: String, size: Int = size
  ) -> String? {
    if options.format == .raw { return nil }
    do throws(ReplayError) {
      let input = ReplayInput(name: path, contents: .head(path, size))
      var reader = try LineReader(input.contents, name: path, blockSize: size, limit: options.lineLimit)
      reader.waits = reader.size.map { $0 <= size } ?? false
      let isWhole = reader.waits
      let isJSON = options.isJSON(&reader)
      var rows = try RowParser<E>(input, options, isJSON: isJSON)
      guard let count = try rows.fruitlessRows(&reader), let row = rows.firstMalformed else { return nil }
      let looked = isWhole ? "" : " of the first \(size >> 10) KiB"
      let none = count == 1 ? "the only row\(looked) is no \(event)" : "none of the \(count) rows\(looked) is a \(event)"
      return "line \(row.line): \(row.reason); \(none)"
    } catch { return nil }
  }

  private static func look<E: ReplayEvent>(
    _ input: ReplayInput, _ options: ReplayOptions, as _: E.Type, _ size: Int
  ) throws(ReplayError) {
    var reader = try LineReader(input.contents, name: input.name, blockSize: size, limit: options.lineLimit)
    // What is not cut off is all there is.
    reader.waits = reader.size.map { $0 <= size } ?? false
    guard options.format != .raw else {
      // Whatever the lines are, they can be read.
      _ = try reader.next()
      return
    }
    let isJSON = options.isJSON(&reader)
    var rows = try RowParser<E>(input, options, isJSON: isJSON)
    do throws(ReplayError) { try rows.readColumns(&reader) } catch { throw error.explained(by: reader.rest, as: E.fields) }
  }
}
