internal import StockbusNetwork

/// The header fields of a request or a response, in their order; a name may occur several times.
package struct WebFields: Sendable, Hashable {
  private var names: [String] = []
  private var values: [String] = []

  package init() {}

  /// The first value of a name, in any case.
  package subscript(name: String) -> String? {
    let name = name.lowercased()
    return names.firstIndex(of: name).map { values[$0] }
  }

  /// All values of a name.
  package func all(_ name: String) -> [String] {
    let name = name.lowercased()
    return names.indices.filter { names[$0] == name }.map { values[$0] }
  }

  /// Adds a field, after those of the same name. A field that could end its line and begin another is left out (RFC 9110, section 5.5), and
  /// false is returned.
  @discardableResult
  package mutating func add(_ name: String, _ value: String) -> Bool {
    guard HTTPFields.fault(inName: name) == nil, HTTPFields.fault(inValue: value) == nil else { return false }
    names.append(name.lowercased())
    values.append(value)
    return true
  }

  /// Makes this field the only one of its name.
  package mutating func set(_ name: String, _ value: String) {
    remove(name)
    add(name, value)
  }

  package mutating func remove(_ name: String) {
    let name = name.lowercased()
    for i in names.indices.reversed() where names[i] == name {
      names.remove(at: i)
      values.remove(at: i)
    }
  }

  /// True if a list contains this word, in any case.
  package func has(_ word: String, in name: String) -> Bool {
    all(name).contains { $0.split(separator: ",").contains { $0.trimmingBlanks.lowercased() == word } }
  }

  var entries: some Sequence<(String, String)> { zip(names, values) }
}

extension StringProtocol {
  /// The text without blanks and tabs at both ends.
  var trimmingBlanks: Substring {
    var rest = Substring(self)
    while let first = rest.first, first == " " || first == "\t" { rest = rest.dropFirst() }
    while let last = rest.last, last == " " || last == "\t" { rest = rest.dropLast() }
    return rest
  }
}
