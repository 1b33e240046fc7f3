import Foundation
import MarketData
import TestSupport
import Testing

@testable import StockbusDecoding

/// The contents of a tape in a canonical form: the kind, then the text without escapes.
private func dump(_ text: [UInt8], takesWords: Bool = false) -> Swift.Result<String, JSONProblem> {
  var tape = JSONTape(limit: 1 << 20, takesWords: takesWords)
  do throws(JSONProblem) { try text.withUnsafeBufferPointer { bytes throws(JSONProblem) in try tape.read(bytes) } } catch {
    return .failure(error)
  }
  return .success(dump(0, tape))
}

private func dump(_ node: Int, _ tape: borrowing JSONTape) -> String {
  let end = Int(tape.nodes[node].next)
  var at = node + 1
  var parts: [String] = []
  switch tape.nodes[node].kind {
  case .object:
    while at < end {
      parts.append("\(quoted(tape.string(at, limit: .max))):\(dump(at + 1, tape))")
      at = Int(tape.nodes[at + 1].next)
    }
    return "{\(parts.joined(separator: ","))}"
  case .array:
    while at < end {
      parts.append(dump(at, tape))
      at = Int(tape.nodes[at].next)
    }
    return "[\(parts.joined(separator: ","))]"
  case .text, .key: return quoted(tape.string(node, limit: .max))
  case .number: return "n" + tape.string(node)
  case .yes: return "true"
  case .no: return "false"
  case .null: return "null"
  case .word: return "w" + tape.string(node)
  }
}

private func quoted(_ text: String) -> String {
  "\"" + text.unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: " ") + "\""
}

@Suite struct JSONTapeTests {
  private func read(_ text: String, takesWords: Bool = false) -> String {
    switch dump(Array(text.utf8), takesWords: takesWords) {
    case .success(let dump): dump
    case .failure(let problem): "\(problem)"
    }
  }

  @Test(arguments: [
    ("[NaN,-Infinity,undefined]", "[wNaN,w-Infinity,wundefined]"), (#"{"a":None , "b":.5}"#, #"{"61":wNone,"62":w.5}"#),
    ("[01,+1,1.,1e,1.#IND,-nan]", "[w01,w+1,w1.,w1e,w1.#IND,w-nan]"), ("[nul]", "byte 2: a value is expected"),
    ("[pong]", "byte 2: a value is expected"), ("[NaNs]", "byte 2: a value is expected"), ("[-]", "byte 2: not a number"),
    // Not in place of a whole message, of a key, or of punctuation.
    ("NaN", "byte 1: a value is expected"), ("-", "byte 1: not a number"), ("{NaN:1}", "byte 2: a key in quotation marks is expected"),
    ("[NaN", "byte 5: the message ends too early"), ("[1 2]", "byte 4: ',' or ']' is expected"), ("[,]", "byte 2: a value is expected"),
    ("['a']", "byte 2: a value is expected"),
  ]) func `takes words inside a message where they are allowed`(text: String, expected: String) {
    #expect(read(text, takesWords: true) == expected)
    if expected.contains("w") { #expect(read(text).hasPrefix("byte ")) }
  }

  @Test(arguments: [false, true]) func `a byte order mark before a message is a blank`(takesWords: Bool) {
    #expect(read("\u{feff}[1]", takesWords: takesWords) == "[n1]")
    #expect(read("\u{feff}{\"é\":1,}", takesWords: takesWords) == "byte 12: a key in quotation marks is expected")
    // Only there, and only once.
    #expect(read("\u{feff}\u{feff}[1]", takesWords: takesWords) == "byte 4: a value is expected")
    #expect(read("[\u{feff}1]", takesWords: takesWords) == "byte 2: a value is expected")
    #expect(read("\u{feff}", takesWords: takesWords) == "byte 4: nothing but white space")
  }

  @Test(arguments: [
    ("{}", "{}"), ("[]", "[]"), (" [ 1 , -2.50e+3 ,\n\t0 ] ", "[n1,n-2.50e+3,n0]"), ("null", "null"), ("true", "true"),
    (#""a\"\\\/\b\f\n\r\t\u0041\ud83d\ude00""#, #""61 22 5c 2f 8 c a d 9 41 1f600""#), (#"{"a":{"b":[{}]}}"#, #"{"61":{"62":[{}]}}"#),
    ("\"é\u{1F600}\"", "\"e9 1f600\""), (#""\u0000""#, "\"0\""),
  ]) func `reads what RFC 8259 allows`(text: String, expected: String) { #expect(read(text) == expected) }

  @Test(arguments: [
    ("", "byte 1: nothing but white space"), ("  ", "byte 3: nothing but white space"), ("{", "byte 2: the message ends too early"),
    ("[1,]", "byte 4: a value is expected"), ("{\"a\"}", "byte 5: ':' is expected"),
    ("{\"a\":1,}", "byte 8: a key in quotation marks is expected"),
    ("[1 2]", "byte 4: ',' or ']' is expected"), ("{\"a\":1 \"b\"}", "byte 8: ',' or '}' is expected"),
    ("1 2", "byte 3: text after the end of the message"),
    ("01", "byte 1: not a number"), ("1.", "byte 1: not a number"), ("-", "byte 1: not a number"), ("1e", "byte 1: not a number"),
    ("+1", "byte 1: a value is expected"), ("nul", "byte 1: a value is expected"), ("tru", "byte 1: a value is expected"),
    (".5", "byte 1: a value is expected"),
    ("\"abc", "byte 5: text without a closing quotation mark"), ("\"a\nb\"", "byte 3: control character in text"),
    ("\"\\x\"", "byte 2: bad escape sequence"),
    ("\"\\ud800\"", "byte 2: half of a surrogate pair"), ("\"\\udc00\"", "byte 2: half of a surrogate pair"),
    ("\"\\u12g4\"", "byte 2: bad escape sequence"),
    ("[1]]", "byte 4: text after the end of the message"), ("[}", "byte 2: a value is expected"), ("\u{0}", "byte 1: a value is expected"),
    ("[1\u{0}", "byte 3: ',' or ']' is expected"),
  ]) func `says what is wrong, and where`(text: String, problem: String) { #expect(read(text) == problem) }

  @Test func `depth, length and UTF-8 have limits`() {
    let deep = { (n: Int) in String(repeating: "[", count: n) + String(repeating: "]", count: n) }
    #expect(read(deep(64)) == deep(64))
    #expect(read(deep(65)) == "byte 65: nested more than 64 deep")
    #expect(dump([34, 0xc3, 34]) == .failure(JSONProblem(code: .badUTF8, offset: 1)))
    #expect(dump([34, 0xed, 0xa0, 0x80, 34]) == .failure(JSONProblem(code: .badUTF8, offset: 1)))
    var tape = JSONTape(limit: 4)
    var found: JSONProblem?
    do throws(JSONProblem) { try Array("[1,2]".utf8).withUnsafeBufferPointer { bytes throws(JSONProblem) in try tape.read(bytes) } } catch {
      found = error
    }
    #expect(found == JSONProblem(code: .tooLong, offset: 4))
  }

  @Test func `many values and long texts need no more than memory`() {
    let many = "[" + (0..<5000).map { "\($0)" }.joined(separator: ",") + "]"
    #expect(read(many) == "[" + (0..<5000).map { "n\($0)" }.joined(separator: ",") + "]")
    let long = String(repeating: "x", count: 100_000)
    #expect(read("\"\(long)\"") == quoted(long))
  }

  // MARK: - Agreement with a slow model

  /// The same dump from Foundation's reader; numbers are left out, because it does not keep their text.
  private static func model(_ value: Any) -> String {
    switch value {
    case let object as [String: Any]:
      "{" + object.sorted { $0.key < $1.key }.map { "\(quoted($0.key)):\(model($0.value))" }.joined(separator: ",") + "}"
    case let list as [Any]: "[" + list.map { model($0) }.joined(separator: ",") + "]"
    case let text as String: quoted(text)
    case is NSNull: "null"
    default: "scalar"
    }
  }

  private static func sorted(_ node: Int, _ tape: borrowing JSONTape) -> String {
    let end = Int(tape.nodes[node].next)
    var at = node + 1
    switch tape.nodes[node].kind {
    case .object:
      var members: [String: String] = [:]
      while at < end {
        let key = tape.string(at, limit: .max)
        if members[key] == nil { members[key] = sorted(at + 1, tape) }
        at = Int(tape.nodes[at + 1].next)
      }
      return "{" + members.sorted { $0.key < $1.key }.map { "\(quoted($0.key)):\($0.value)" }.joined(separator: ",") + "}"
    case .array:
      var items: [String] = []
      while at < end {
        items.append(sorted(at, tape))
        at = Int(tape.nodes[at].next)
      }
      return "[\(items.joined(separator: ","))]"
    case .text, .key: return quoted(tape.string(node, limit: .max))
    case .null: return "null"
    case .number, .yes, .no, .word: return "scalar"
    }
  }

  static let frames = [
    #"{"stream":"btcusdt@trade","data":{"e":"trade","s":"BTCUSDT","t":3735693016,"p":"61685.99000000","m":true}}"#,
    #"[1360,{"as":[["0.000022900","13355.87450757","1618678123.481570"]]},"book-1000","ADA\/XBT"]"#,
    #"{"a":"x\u00e9\n","b":[null,true,false,{"c":-1.5e-3}],"é":{}}"#, "[[],[[]],{},\"\"]",
  ]

  @Test func `damaged messages never trap, and what is accepted is what Foundation reads`() {
    var random = SplitMix(42)
    let alphabet = Array("{}[]\",:0123456789.eE+-\\untrfalse \u{7f}".utf8) + [0, 10, 0xc3, 0xa9, 0xff]
    var tape = JSONTape(limit: 1 << 16)
    var accepted = 0
    for round in 0..<rounds(12_000) {
      var bytes = Array(Self.frames[round % Self.frames.count].utf8)
      for _ in 0...Int(random.next() % 3) {
        let at = Int(random.next() % UInt64(bytes.count))
        switch random.next() % 4 {
        case 0: bytes[at] = alphabet[Int(random.next() % UInt64(alphabet.count))]
        case 1: bytes.insert(alphabet[Int(random.next() % UInt64(alphabet.count))], at: at)
        case 2: if bytes.count > 1 { bytes.remove(at: at) }
        default: bytes.removeSubrange(at...)
        }
        if bytes.isEmpty { bytes = [32] }
      }
      var isAccepted = true
      var isLenient = bytes.contains(0)
      do throws(JSONProblem) { try bytes.withUnsafeBufferPointer { bytes throws(JSONProblem) in try tape.read(bytes) } } catch {
        isAccepted = false
        #expect(error.offset >= 0 && error.offset <= bytes.count)
        // Foundation accepts a comma before a closing bracket, and takes a NUL as the end.
        if error.code == .expectedKey || error.code == .expectedValue, error.offset < bytes.count {
          isLenient = isLenient || bytes[error.offset] == 93 || bytes[error.offset] == 125
        }
      }
      let value = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
      guard isAccepted else {
        if value != nil, !isLenient { Issue.record("only Foundation reads \(String(decoding: bytes, as: UTF8.self))") }
        continue
      }
      accepted += 1
      guard let value else {
        // Foundation refuses numbers that do not fit a Double.
        if !Self.hasHugeNumber(tape) { Issue.record("only the tape reads \(String(decoding: bytes, as: UTF8.self))") }
        continue
      }
      let keys = Self.hasDoubledKeys(0, tape)
      if !keys { #expect(Self.sorted(0, tape) == Self.model(value), "\(String(decoding: bytes, as: UTF8.self))") }
    }
    #expect(accepted > 1000)
  }

  private static func hasHugeNumber(_ tape: borrowing JSONTape) -> Bool {
    (0..<tape.nodeCount).contains { tape.nodes[$0].kind == .number && Double(tape.string($0)).map { !$0.isFinite } ?? true }
  }

  /// JSON does not define which of two equal keys counts.
  private static func hasDoubledKeys(_ node: Int, _ tape: borrowing JSONTape) -> Bool {
    let end = Int(tape.nodes[node].next)
    var at = node + 1
    var seen: Set<String> = []
    while at < end {
      let isObject = tape.nodes[node].kind == .object
      if isObject, !seen.insert(tape.string(at, limit: .max)).inserted { return true }
      if hasDoubledKeys(isObject ? at + 1 : at, tape) { return true }
      at = Int(tape.nodes[isObject ? at + 1 : at].next)
    }
    return false
  }
}
