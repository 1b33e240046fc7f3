internal import StockbusPlugin

/// Which column each field of an event is read from.
struct CSVColumns {
  /// By field: the column, counted from 0, or -1.
  private(set) var places: [Int]
  /// How many fields every row must have; nil where there is no header to say so.
  private(set) var expected: Int?
  /// How many fields a row must have at least.
  var needed: Int { (places.max() ?? -1) + 1 }

  /// Finds the columns of `fields` under a header (nil where the file has none): those that `mapping` names by its own references, the
  /// others by their aliases, exactly or else in another case.
  ///
  /// Throws `badColumns`, naming the columns there are. A symbol need not be found where `hasSymbol`.
  init(
    fields: [ReplayField], mapping: [String: String], header: [String]?, hasSymbol: Bool, file: String, line: Int
  ) throws(ReplayError) {
    func problem(_ message: String) -> ReplayError {
      ReplayError(code: .badColumns, file: file, place: .line(line), message: message)
    }
    let names = header ?? []
    let listed = names.prefix(50).map { "'\($0.prefix(60))'" }.joined(separator: ", ") + (names.count > 50 ? ", …" : "")
    var found: [Int] = []
    for field in fields {
      guard let written = mapping[field.name] else {
        let place = try Self.find(aliases: field.aliases, in: names, problem)
        if place == nil, field.isRequired, !(hasSymbol && field == .symbol) {
          guard header != nil else {
            throw problem("the file has no header: say which column has the \(field.name), as in '\(field.name): 1'")
          }
          let tried = field.aliases.map { "'\($0)'" }.joined(separator: ", ")
          let hint = FileLook.otherEvent(than: fields, in: names)
          throw problem("no column for the \(field.name) (looked for \(tried)); there are \(listed)\(hint)")
        }
        found.append(place ?? -1)
        continue
      }
      switch ColumnReference(written) {
      case .number(let number):
        guard number >= 1, number <= header?.count ?? CSVFormat.columnLimit else {
          throw problem("there is no column \(number) for the \(field.name); there are \(header?.count ?? CSVFormat.columnLimit)")
        }
        found.append(number - 1)
      case .name(let name):
        guard header != nil else {
          throw problem("the file has no header: give the column for the \(field.name) by its number instead of '\(name)'")
        }
        guard let place = try Self.find(aliases: [name], in: names, problem) else {
          throw problem("no column '\(name)' for the \(field.name)\(didYouMean(name, among: names)); there are \(listed)")
        }
        found.append(place)
      }
    }
    places = found
    expected = header?.count
  }

  /// The column with the first alias that is there; throws where that name is there more than once.
  private static func find(
    aliases: [String], in names: [String], _ problem: (String) -> ReplayError
  ) throws(ReplayError) -> Int? {
    // Single letters mean different things in different cases (`T` is a time where `t` is a trade's number), words do not.
    let inAnyCase = aliases.filter { $0.count > 1 }.isEmpty ? aliases : []
    for (alias, isExact) in aliases.flatMap({ [($0, true)] + ($0.count > 1 ? [($0, false)] : []) }) + inAnyCase.map({ ($0, false) }) {
      let wanted = isExact ? alias : alias.lowercased()
      let places = names.indices.filter { isExact ? names[$0] == wanted : names[$0].lowercased() == wanted }
      if places.count > 1 {
        let numbers = places.map { "\($0 + 1)" }.joined(separator: ", ")
        throw problem("column '\(names[places[0]])' is there \(places.count) times (\(numbers))")
      }
      if let place = places.first { return place }
    }
    return nil
  }
}
