/// Numbers in forms that JSON does not have, as some programs write them.
///
/// Unsafe inside: texts end with a byte that is no letter, digit or sign.
package enum JSONWords {
  private static let words: Set<String> = ["nan", "inf", "infinity", "none", "undefined"]

  /// The length of a word for an undefined number, such as `NaN`, `-Infinity`, `None` or `undefined`, in any case; 0 if there is none.
  package static func length(_ text: UnsafePointer<UInt8>) -> Int {
    var end = text.pointee == UInt8(ascii: "-") || text.pointee == UInt8(ascii: "+") ? text + 1 : text
    var word = ""
    while isLetter(end.pointee), word.utf8.count < 10 {
      word.unicodeScalars.append(Unicode.Scalar(end.pointee | 0x20))
      end += 1
    }
    return words.contains(word) && !isLetter(end.pointee) && !isDigit(end.pointee) ? end - text : 0
  }

  /// The length of a text that begins like a number: `.5`, `+1`, `007`, `1.#IND`; 0 if there is none.
  static func lengthOfNumber(_ text: UnsafePointer<UInt8>) -> Int {
    var end = text
    while isSign(end.pointee) { end += 1 }
    guard isDigit(end.pointee) else { return 0 }
    while isDigit(end.pointee) || isLetter(end.pointee) || isSign(end.pointee) || end.pointee == UInt8(ascii: "#") { end += 1 }
    return end - text
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }
  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 97 < 26 }
  private static func isSign(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }
}
