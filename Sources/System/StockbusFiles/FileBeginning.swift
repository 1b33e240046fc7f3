package import StockbusPlugin

/// The beginning of a file to which records will be added.
enum FileBeginning {
  /// How many bytes are read.
  private static let limit = 1 << 12

  /// The first line that is not empty, without its end, without a byte order mark, and cut at the limit; nil if there is none, and if the
  /// file cannot be read.
  static func line(of path: String) -> [UInt8]? {
    guard let descriptor = try? InputDescriptor(path, halt: Halt()), !descriptor.isLive else { return nil }
    let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      guard let base = buffer.baseAddress else { return }
      count = (try? descriptor.read(into: base, capacity: limit)) ?? 0
    }
    let text = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes[...]
    return text.split(whereSeparator: { $0 == 10 || $0 == 13 }).first.map(Array.init)
  }

  /// Why rows of a header cannot be added to a file; nil if they can, and without a header.
  static func fault(of path: String, header: [UInt8]) -> String? {
    let own = header.prefix { $0 != 10 && $0 != 13 }
    guard !own.isEmpty, path != "-", let line = line(of: path) else { return nil }
    // A long header is cut at the limit.
    if line.count < own.count && line.count > limit - 4 ? own.starts(with: line) : line.elementsEqual(own) { return nil }
    return
      "\(shown(path)) begins with \(shown(String(decoding: line, as: UTF8.self))), and rows of \(shown(String(decoding: own, as: UTF8.self))) would be misread there: use another path, or move the file away"
  }
}

extension RetryingFileSettings {
  /// Why records cannot be added to `file` unless it is emptied first: `stranger` returns the error in a first line that cannot belong to
  /// such records. For `Component.fault(in:_:)`.
  package func fault(in file: FileUse, _ stranger: ([UInt8]) -> String?) -> String? {
    guard rotation.append, let line = FileBeginning.line(of: file.path), let what = stranger(line) else { return nil }
    let text = shown(String(decoding: line, as: UTF8.self))
    return "it begins with \(text), \(what): use another path to keep it, or 'append: false' to empty it first"
  }

  /// Why records cannot be added to a file of JSON lines; nil if they can.
  package func faultOfJSONLines(in file: FileUse) -> String? {
    fault(in: file) { $0.first { $0 != 32 && $0 != 9 } == 123 ? nil : "which is not a JSON line" }
  }
}
