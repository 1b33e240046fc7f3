package import MarketData

/// Reads the bars of history files, for components that know nothing of databases.
package struct BarArchive: Service {
  /// Returns some more bars, in the order in which they ended; none at the end.
  package typealias Reader = @Sendable () throws(PastFault) -> [Bar]

  /// Which bars are read: of this length only, and not those that begin before `since`.
  package struct Choice: Sendable {
    package var length: BarLength?
    package var since: Timestamp?

    package init(length: BarLength? = nil, since: Timestamp? = nil) { (self.length, self.since) = (length, since) }
  }

  /// Opens the file at a path.
  package let open: @Sendable (_ path: String, _ choice: Choice, _ intake: SymbolIntake) throws(PastFault) -> Reader

  package init(open: @escaping @Sendable (String, Choice, SymbolIntake) throws(PastFault) -> Reader) { self.open = open }

  package static let fallback = BarArchive { _, _, _ throws(PastFault) in throw .noReader }
}

/// Why a history file cannot be read.
package struct PastFault: Error {
  /// The end of a sentence that names the file.
  package let predicate: String

  package init(predicate: String) { self.predicate = predicate }

  package static let noReader = PastFault(predicate: "cannot be read: this program has no component that reads histories")
}
