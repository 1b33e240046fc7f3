internal import LibC
internal import StockbusFiles
internal import StockbusPlugin
internal import StockbusSQLite

/// Why a database file cannot be opened, read or written. None of these errors has changed the file.
package struct HistoryError: EnvironmentError, Hashable, Sendable {
  package enum Reason: Hashable, Sendable {
    case missing
    /// The file is a folder, a pipe or a device.
    case notPlain
    /// The file does not begin like a database.
    case notDatabase
    /// A database with another program's application id.
    case foreign(Int32)
    /// The file is damaged; with SQLite's description.
    case damaged(String)
    /// The file's layout is newer than `known`.
    case newer(Int, known: Int)
    /// The file's layout is older than `known`; only a writer brings it up to date.
    case older(Int, known: Int)
    /// Another program or component uses the file; which one, in words.
    case inUse(String)
    /// A full disk, or a lock that another program holds too long.
    case noRoom(String), locked
    /// The file at the path is not the one that was opened; why, in words.
    case displaced(String)
    /// Any other error of the system or of SQLite.
    case other(String)
  }

  /// The path as it was given.
  package var path: String
  package var reason: Reason

  package init(_ path: String, _ reason: Reason) {
    self.path = path
    self.reason = reason
  }

  /// True if the same attempt may succeed later.
  package var mayPass: Bool {
    switch reason {
    case .noRoom, .locked, .displaced: true
    default: false
    }
  }

  package var isPermanent: Bool { !mayPass }
}

extension HistoryError: CustomStringConvertible {
  /// One sentence: `'history.db' is no database of stockbus: it is not a database`.
  package var description: String {
    switch reason {
    case .missing: "\(shown(path)): there is no such file"
    case .inUse(let other): "cannot write \(shown(path)): \(other)"
    case .noRoom(let text): "cannot write \(shown(path)): \(text)"
    case .locked: "\(shown(path)) is locked by another program"
    case .displaced(let text): "\(shown(path)) is not the file that was opened: \(text)"
    case .other(let text): "\(shown(path)): \(text)"
    default: "\(shown(path)) \(predicate)"
    }
  }

  /// The end of a sentence that begins with the file's name: `is damaged: …`.
  package var predicate: String {
    switch reason {
    case .missing: "does not exist"
    case .notPlain: "is not a regular file"
    case .notDatabase: "is not a database of stockbus: it is not a database; use another path to keep it"
    case .foreign(let id):
      "is not a database of stockbus: it belongs to another program (application id \(UInt32(bitPattern: id))); use another path to keep it"
    case .damaged(let text): "is damaged: \(text); it is left unchanged: replace it by a backup"
    case .newer(let layout, let known): "was written by a newer stockbus (layout \(layout), this one supports \(known))"
    case .older(let layout, let known):
      "was written by an older stockbus (layout \(layout), now \(known)); the next run or import that writes it updates it"
    case .inUse(let other), .noRoom(let other), .other(let other): "cannot be used: \(other)"
    case .locked: "is locked by another program"
    case .displaced(let text): "is not the file that was opened: \(text)"
    }
  }
}

extension HistoryError {
  /// The meaning of an error of SQLite about the file at `path`.
  init(_ error: SQLiteError, _ path: String) {
    self.path = path
    let (text, system) = (error.message, error.systemCode)
    reason =
      switch error.kind {
      case .notDatabase: .notDatabase
      case .damaged: .damaged(text)
      case .full: .noRoom(text)
      case .inputOutput where [ENOSPC, EDQUOT, EFBIG].contains(system): .noRoom(String(cString: strerror(system)))
      // SQLite makes the index as large as it will be; the system's error is lost by then.
      case .noRoomForIndex: .noRoom("there is no room for the index of its log")
      case .busy: .locked
      default: .other(system == 0 ? text : "\(text) (\(String(cString: strerror(system))))")
      }
  }

  /// Makes a history error of any error.
  init(_ error: any Error, _ path: String) {
    switch error {
    case let error as HistoryError: self = error
    case let error as DamagedChunk: self.init(path, .damaged(error.description))
    case let error as SQLiteError: self.init(error, path)
    default: self.init(path, .other("\(error)"))
    }
  }

  init(_ error: FileError, _ path: String) {
    if case .claim(let other) = error.attempt { self.init(path, .inUse(other)) } else { self.init(path, .other("\(error)")) }
  }
}
