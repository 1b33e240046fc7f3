import Foundation
import TestSupport
import Testing

/// The table of limits in Documentation/use/security.md, compared with the declarations that it names.
@Suite struct SecurityPageTests {
  private struct Row {
    let what: String
    let limit: String
    let file: String
    let name: String
  }

  private static let rows: [Row] = {
    let page = (try? String(contentsOf: Repository.root.appending(path: "Documentation/use/security.md"), encoding: .utf8)) ?? ""
    return page.split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 6, let place = cells[4].wholeMatch(of: /`(.+\.swift): (\w+)`/) else { return nil }
      return Row(what: cells[1], limit: cells[2], file: String(place.1), name: String(place.2))
    }
  }()

  /// What a file declares under a name, as it is written.
  private static func declarations(_ file: String, _ name: String) throws -> [String] {
    var found: [String] = []
    for folder in ["Sources", "Plugins"] {
      let files = FileManager.default.enumerator(at: Repository.root.appending(path: folder), includingPropertiesForKeys: nil)
      while let url = files?.nextObject() as? URL {
        guard url.lastPathComponent == file else { continue }
        for line in try String(contentsOf: url, encoding: .utf8).split(separator: "\n") {
          let declaration = try Regex("(?:let|var) \(name)(?:: [^={]+)? (?:=|\\{) (.+)$")
          if let match = line.firstMatch(of: declaration), let value = match[1].substring { found.append(String(value)) }
        }
      }
    }
    return found
  }

  /// The numbers in a declaration, in bytes and milliseconds: `1 << 20`, `.seconds(10)`, `ByteSize.mebibytes(1)`.
  private static func numbers(inCode code: String) -> [Int] {
    code.matches(of: /(?:\.?(\w+)\()?([0-9][0-9_]*)(?: << ([0-9]+))?/).map { match in
      let number = (Int(match.2.replacing("_", with: "")) ?? -1) << (match.3.flatMap { Int($0) } ?? 0)
      return number * (units[String(match.1 ?? "")] ?? 1)
    }
  }

  /// The numbers in a cell of the page: `4,096`, `1 MiB`, `10 s`.
  private static func numbers(inPage text: String) -> [Int] {
    text.matches(of: /([0-9][0-9,]*)(?: (\w+))?/).map { match in
      (Int(match.1.replacing(",", with: "")) ?? -1) * (units[String(match.2 ?? "")] ?? 1)
    }
  }

  private static let units = [
    "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "kibibytes": 1 << 10, "mebibytes": 1 << 20, "gibibytes": 1 << 30, "s": 1000,
    "seconds": 1000,
  ]

  @Test func `every limit of the page is what its declaration says`() throws {
    #expect(Self.rows.count > 40)
    for row in Self.rows {
      let declared = try Self.declarations(row.file, row.name)
      #expect(!declared.isEmpty, "\(row.file) declares no \(row.name)")
      let told = Self.numbers(inPage: row.limit)
      let isReported = declared.contains { code in
        let numbers = Self.numbers(inCode: code)
        return !numbers.isEmpty && numbers.allSatisfy(told.contains)
      }
      #expect(isReported, "\(row.what): the page says \(row.limit), \(row.file) says \(declared)")
    }
  }
}
