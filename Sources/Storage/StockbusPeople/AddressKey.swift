/// The part of an address for which failed attempts are counted: of IPv6 the first 64 bits, as one customer usually has the whole block.
enum AddressKey {
  static func of(_ address: String) -> String {
    let plain = address.prefix { $0 != "%" }
    // An IPv4 address, also one in the form of IPv6, stands for itself.
    guard plain.contains(":"), !plain.contains(".") else { return address }
    var halves = plain.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false).map {
      $0.split(separator: ":").map(String.init)
    }
    if halves.count == 2 {
      let missing = max(0, 8 - halves[0].count - halves[1].count)
      halves[0] += [String](repeating: "0", count: missing)
    }
    let groups = halves.flatMap { $0 }
    return groups.count == 8 ? groups.prefix(4).joined(separator: ":").lowercased() + "::/64" : address
  }
}
