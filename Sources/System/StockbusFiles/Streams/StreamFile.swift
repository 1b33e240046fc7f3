/// What a file of messages, such as an Arrow stream, has other than a file of lines.
///
/// Its header begins each new file. A file to be gone on with is looked through and cut behind its last whole record, also one that ended
/// regularly, whose end goes. One that cannot be gone on with is put aside under a number, as a full file is (`NumberedFiles`).
package struct StreamFile: Sendable {
  package enum Contents: Hashable, Sendable {
    /// Where further records begin; torn if what is behind that is a piece of a record.
    case whole(upTo: Int, isTorn: Bool)
    /// Why no record may follow, as the end of a sentence that names the file.
    case strange(String)
  }

  /// The bytes behind the last record of a file that is full or finished.
  package var end: [UInt8] = []
  /// Turns streams into files of another form; nil if they stay.
  package var finish: StreamFinish?
  /// Called when a stream was put aside under a number.
  package var putAside: @Sendable () -> Void = {}
  /// Looks through the file at a path.
  package var contents: @Sendable (_ path: String) -> Contents

  package init(contents: @escaping @Sendable (_ path: String) -> Contents) { self.contents = contents }

  package func numbers(of path: String) -> NumberedFiles { NumberedFiles(stream: path, finishedEnding: finish?.ending) }
}
