/// Checked header fields: no name or value can end its line and begin another one (RFC 9110, section 5).
package struct HTTPFields: Sendable, Hashable {
  /// The names, in the order of their addition.
  package private(set) var names: [String] = []
  /// The values, one for each name.
  package private(set) var values: [String] = []

  package init() {}

  /// The first value for a name, in any case.
  package subscript(name: String) -> String? {
    names.firstIndex { Self.same($0, name) }.map { values[$0] }
  }

  /// Sets the only value for a name.
  package mutating func set(_ name: String, _ value: String) throws(HTTPError) {
    if let fault = Self.fault(inName: name) ?? Self.fault(inValue: value) { throw HTTPError(.badHeader, fault) }
    remove(name)
    names.append(name)
    values.append(value)
  }

  /// Adds a received field, whose name may occur several times. An invalid field is dropped.
  mutating func receive(_ name: String, _ value: String) {
    guard Self.fault(inName: name) == nil, Self.fault(inValue: value) == nil else { return }
    names.append(name)
    values.append(value)
  }

  package mutating func remove(_ name: String) {
    for i in names.indices.reversed() where Self.same(names[i], name) {
      names.remove(at: i)
      values.remove(at: i)
    }
  }

  /// Why `name` is not a valid field name; nil if it is valid.
  package static func fault(inName name: String) -> String? {
    let isToken = name.utf8.allSatisfy { byte in
      switch byte {
      case 48...57, 65...90, 97...122: true
      default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
      }
    }
    return isToken && !name.isEmpty && name.utf8.count <= 128 ? nil : "a header's name has only letters, digits and hyphens"
  }

  /// Why `value` is not a valid field value; nil if it is valid. The message does not repeat the value, which may be a secret.
  package static func fault(inValue value: String) -> String? {
    if value.utf8.count > 8192 { return "a header's value has at most 8192 bytes" }
    let isClean = value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7f) || $0 == 9 }
    return isClean ? nil : "a header's value has no line ends or control characters"
  }

  private static func same(_ a: String, _ b: String) -> Bool { a.utf8.count == b.utf8.count && a.lowercased() == b.lowercased() }
}
