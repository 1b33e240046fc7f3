package import StockbusPlugin

/// How a growing file is opened and rotated: a group for plugins that write such a file.
///
/// ```swift
/// @SettingGroup public var rotation = RotationSettings()
/// ```
package struct RotationSettings: Options {
  @Setting("Appends to an existing file; if false, the file is emptied first.")
  package var append = true
  @Setting("Rotates the file (renames it to PATH.1) before it grows beyond this.", in: ByteSize(bytes: 1)...)
  package var rotate: ByteSize?
  @Setting("The number of rotated files that are kept.", in: 1...10_000)
  package var keep = 5

  package init() {}

  /// The options for opening a `RotatingFile`.
  package func options(sync: Bool = false, header: [UInt8] = []) -> RotatingFile.Options {
    .init(opening: append ? .append : .truncate, rotateAt: rotate?.bytes, keep: keep, sync: sync, header: header)
  }

  /// The use of the file at the option `path`.
  package func use(of path: String) -> FileUse { .writing(path, at: "path", keeping: rotate == nil ? 0 : keep) }

  /// Adds the problems of these settings with the file at `path`.
  package func check(path: String, _ problems: inout OptionProblems) {
    if path == "-", rotate != nil { problems.add("standard output cannot be rotated", at: "rotate") }
  }
}

/// How a file of records is opened, written and rotated: a group for plugins that write a `RetryingFile`.
package struct RetryingFileSettings: Options {
  @SettingGroup
  package var rotation = RotationSettings()
  @Setting("How long a record may wait in memory. With 0s every delivered record is in the file.", in: .zero ... .seconds(3600))
  package var flush = Duration.seconds(1)
  @Setting("How long a failed write is retried before the component fails, for example on a full disk.", in: .zero ... .seconds(86_400))
  package var patience = Duration.seconds(30)
  @Setting("Waits for the disk when the file is closed or rotated.")
  package var sync = false

  package init() {}
}

/// The options of a plugin that writes its records to the file at `path`.
package protocol RecordFileOptions: Options {
  var path: String { get }
  var file: RetryingFileSettings { get }
}

extension RecordFileOptions {
  package var files: [FileUse] { [file.rotation.use(of: path)] }

  package func validate(_ problems: inout OptionProblems) { file.rotation.check(path: path, &problems) }
}
