internal import StockbusConfig
internal import StockbusCrypto
internal import StockbusPlugin

extension PlannedNode {
  /// A digest of the component's options: the same for options with the same meaning, wherever they are written.
  var optionsDigest: String {
    var text = ""
    if let options = description?.options { write(options, &text) }
    return Digest.mark([UInt8](text.utf8))
  }
}

extension Digest {
  /// The first 64 bits of a SHA-256, as 16 digits.
  static func mark(_ bytes: [UInt8]) -> String {
    sha256(bytes).prefix(8).map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
  }
}

/// The contents of `node` without their form: lengths before texts, so that no two meanings have one text.
private func write(_ node: ConfigNode, _ text: inout String) {
  switch node.value {
  case .scalar(let word): text += node.isNull ? "n" : "s\(word.utf8.count):\(word)"
  case .list(let items):
    text += "l\(items.count)"
    for item in items { write(item, &text) }
  case .map(let entries):
    text += "m\(entries.count)"
    for entry in entries.sorted(by: { $0.key < $1.key }) {
      text += "\(entry.key.utf8.count):\(entry.key)"
      write(entry.value, &text)
    }
  }
}
