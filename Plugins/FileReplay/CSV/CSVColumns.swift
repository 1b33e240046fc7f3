internal import StockbusPlugin

/// The columns from which the fields of an event are read.
struct CSVColumns {
  /// By field: the column, counted from 0, or -1.
  private(set) var places: [Int]
  /// The number of fields that every row must have; nil if there is no header.
  private(set) var expected: Int?
  /// The column of the date, if the time's is the time of day only; -1 if there is none.
  private(set) var date = -1
  /// How many fields a row must have at least.
  var needed: Int { max(places.max() ?? -1, date) + 1 }

  /// Finds the columns of `fields` in a header (nil if the file has none): fields in `mapping` by the reference there, the others by their
  /// aliases, exactly or otherwise ignoring case.
  ///
  /// Throws `badColumns` with all missing fields, the columns of the file, and what to write. With `hasSymbol` no column for the symbol is
  /// needed.
  init(
    fields: [ReplayField], mapping: [String: String], header: [String]?, hasSymbol: Bool, file: String, line: Int
  ) throws(ReplayError) {
    func problem(_ message: String) -> ReplayError {
      ReplayError(code: .badColumns, file: file, place: .line(line), message: message)
    }
    let names = header ?? []
    var faults: [String] = []
    var missing: [ReplayField] = []
    var isListed = false
    var found: [Int] = []
    for field in fields {
      do throws(Fault) {
        found.append(try Self.place(of: field, mapping[field.name], header, hasSymbol: hasSymbol) ?? -1)
      } catch {
        found.append(-1)
        switch error {
        case .missing: missing.append(field)
        case .unknown(let message):
          faults.append(message)
          isListed = true
        case .other(let message): faults.append(message)
        }
      }
    }
    if let written = mapping[Self.dateName] {
      do throws(Fault) { date = try Self.place(of: Self.dateField, written, header, hasSymbol: false) ?? -1 } catch {
        if case .unknown(let message) = error { (faults, isListed) = (faults + [message], true) }
        if case .other(let message) = error { faults.append(message) }
      }
      // A file with one column for both.
      if date == found[RowValues.timePlace] { date = -1 }
    }
    if !missing.isEmpty, header == nil {
      faults.append("the file has no header: " + Self.numbers(for: missing, beside: found))
    } else if !missing.isEmpty {
      let tried = missing.map { field in
        "the \(field.name) (looked for \(field.aliases.map { "'\($0)'" }.joined(separator: ", ")))"
      }
      faults.append("no \(missing.count > 1 ? "columns" : "column") for \(listed(tried))")
      isListed = true
    }
    if !faults.isEmpty {
      let listed = names.prefix(50).map { "'\($0.prefix(60))'" }.joined(separator: ", ") + (names.count > 50 ? ", …" : "")
      let hint = missing.isEmpty || header == nil ? "" : Self.hint(for: missing, of: fields, in: names, taken: Set(found))
      if isListed { faults.append("there \(names.count == 1 ? "is" : "are") \(listed)") }
      throw problem(Self.joined(faults) + hint)
    }
    places = found
    expected = header?.count
  }

  /// The name in `columns` for a date that stands beside the time of day; no event has such a field.
  static let dateName = "date"
  private static let dateField = ReplayField(dateName, .time, [dateName])

  /// The faults, separated by semicolons; a question ends a sentence.
  private static func joined(_ faults: [String]) -> String {
    faults.reduce("") { text, fault in
      if text.isEmpty { return fault }
      return text.hasSuffix("?") ? text + " " + fault.prefix(1).uppercased() + fault.dropFirst() : text + "; " + fault
    }
  }

  /// Why a field has no column.
  private enum Fault: Error {
    /// The field is required, and the file has none of its names.
    case missing
    /// The column that the options name does not exist.
    case unknown(String)
    case other(String)
  }

  /// The column of a field; nil if it has none and none is required.
  private static func place(
    of field: ReplayField, _ written: String?, _ header: [String]?, hasSymbol: Bool
  ) throws(Fault) -> Int? {
    guard let written else {
      let place = try find(aliases: field.aliases, in: header ?? [])
      if place == nil, field.isRequired, !(hasSymbol && field.kind == .symbol) { throw .missing }
      return place
    }
    switch ColumnReference(written) {
    case .number(let number):
      guard number >= 1, number <= header?.count ?? CSVFormat.columnLimit else {
        throw .other("there is no column \(number) for the \(field.name); there are \(header?.count ?? CSVFormat.columnLimit)")
      }
      return number - 1
    case .name(let name):
      guard let header else {
        throw .other("the file has no header: give the column for the \(field.name) by its number instead of '\(name)'")
      }
      if let place = try find(aliases: [name], in: header) { return place }
      throw .unknown("no column '\(name)' for the \(field.name)\(didYouMean(name, among: header.prefix(CSVFormat.columnLimit)))")
    }
  }

  /// A hint on what to write for missing required columns, based on the header.
  private static func hint(for missing: [ReplayField], of fields: [ReplayField], in names: [String], taken: Set<Int>) -> String {
    if names.count == 1, let other = Delimiter.allCases.first(where: { names[0].utf8.contains($0.rawValue) }) {
      return "; the delimiter seems to be \(other.phrase): set 'delimiter: \(other.optionText)'"
    }
    if names.contains(where: isValue) {
      return "; this looks like a row of values: if the file has no header, set 'header: false' and "
        + "say which columns hold what, \(example(for: missing, beside: []))"
    }
    let other = FileLook.otherEvent(than: fields, in: names)
    if !other.isEmpty { return other }
    return "; " + LikelyColumns.remedy(for: missing, in: names, taken: taken, isNumbered: true)
  }

  /// True for a number, a time of day or a date, which are not names of columns.
  private static func isValue(_ name: String) -> Bool {
    let name = name.utf8.prefix(40)
    guard name.contains(where: { (48...57).contains($0) }) else { return false }
    return name.contains { $0 == 46 || $0 == 58 || $0 == 45 }
      && name.allSatisfy { (45...58).contains($0) || $0 == 43 || $0 == 32 || $0 == 84 || $0 == 90 }
  }

  private static func numbers(for missing: [ReplayField], beside found: [Int]) -> String {
    "say which \(missing.count > 1 ? "columns have" : "column has") \(listed(missing.map { "the \($0.name)" })), "
      + example(for: missing, beside: found)
  }

  /// `as in 'columns: { symbol: 1, price: 2 }'`.
  private static func example(for missing: [ReplayField], beside found: [Int]) -> String {
    let free = (0...).lazy.filter { !found.contains($0) }.map { $0 + 1 }
    return "as in 'columns: { \(zip(missing, free).map { "\($0.name): \($1)" }.joined(separator: ", ")) }'"
  }

  /// The column of the first alias in the header; throws if that name occurs more than once.
  private static func find(aliases: [String], in names: [String]) throws(Fault) -> Int? {
    // Upper and lower case of single letters are distinguished (with `T` for a time, `t` is a trade's number); those of words are not.
    let inAnyCase = aliases.filter { $0.count > 1 }.isEmpty ? aliases : []
    for (alias, isExact) in aliases.flatMap({ [($0, true)] + ($0.count > 1 ? [($0, false)] : []) }) + inAnyCase.map({ ($0, false) }) {
      let wanted = isExact ? alias : alias.lowercased()
      let places = names.indices.filter { isExact ? names[$0] == wanted : names[$0].lowercased() == wanted }
      if places.count > 1 {
        let numbers = places.map { "\($0 + 1)" }.joined(separator: ", ")
        throw .other("column '\(names[places[0]])' is there \(places.count) times (\(numbers))")
      }
      if let place = places.first { return place }
    }
    return nil
  }
}
