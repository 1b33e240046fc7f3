internal import StockbusPlugin
internal import StockbusSystem

/// Why a time zone has no rules, in one sentence.
package struct ZoneProblem: Error, Hashable {
  package let message: String
}

/// A folder of zone files, by the names of the zones.
struct ZoneDatabase: Sendable {
  let folder: String

  /// The system's database: the folder that the environment variable TZDIR names, otherwise that of the C library.
  static var system: ZoneDatabase { ZoneDatabase(folder: Descriptor.environment("TZDIR") ?? "/usr/share/zoneinfo") }

  /// The contents of the zone's file.
  func zone(_ name: String) throws(ZoneProblem) -> ZoneFile {
    guard Self.isName(name), let bytes = try read(name) else {
      if !isThere {
        throw ZoneProblem(message: "there are no time zones in '\(folder)'; install tzdata, or set TZDIR to its folder")
      }
      throw ZoneProblem(message: "unknown time zone '\(name)'\(Self.hint(name, among: known))")
    }
    do throws(ZoneFile.Problem) { return try ZoneFile(bytes) } catch {
      throw ZoneProblem(message: "the time zone '\(name)' cannot be used: '\(folder)/\(name)', byte \(error.byte): \(error.reason)")
    }
  }

  /// The names of the zones in the database's own table, for suggestions.
  var known: [String] {
    guard let table = try? read("zone.tab") else { return [] }
    let rows = String(decoding: table, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
    return ["UTC"]
      + rows.compactMap { row in
        let fields = row.split(separator: "\t", omittingEmptySubsequences: false)
        return fields.count > 2 ? String(fields[2]) : nil
      }
  }

  /// A hint that names the zone probably meant, by its name or its city; otherwise a hint about the form of zone names.
  private static func hint(_ name: String, among known: [String]) -> String {
    let near = didYouMean(name, among: known)
    if !near.isEmpty { return near }
    let city = name.prefix(64).lowercased().replacing(" ", with: "_")
    if city.utf8.count > 2, let zone = known.first(where: { $0.lowercased().hasSuffix("/" + city) }) { return "; did you mean '\(zone)'?" }
    return "; write a zone such as America/New_York, Europe/London or UTC"
  }

  private var isThere: Bool { Descriptor.exists(folder) }

  /// True for names that can lead only to files below the folder.
  static func isName(_ name: String) -> Bool {
    let isPlain = name.utf8.allSatisfy { byte in
      (byte | 32) &- 97 < 26 || byte &- 48 < 10 || byte == 43 || byte == 45 || byte == 47 || byte == 95
    }
    return isPlain && name.utf8.count <= 255 && name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
  }

  /// The contents of the file with this name, at most one byte more than the limit; nil if there is no plain file.
  private func read(_ name: String) throws(ZoneProblem) -> [UInt8]? {
    let path = "\(folder)/\(name)"
    do throws(Errno) { return try Descriptor.contents(of: path, atMost: ZoneFile.sizeLimit + 1) } catch {
      throw ZoneProblem(message: "the time zone '\(name)' cannot be read: '\(path)': \(FileError.text(of: error.rawValue))")
    }
  }
}
