internal import MarketData

/// Consecutive messages that a stream has stored, as most acknowledgements report them.
package struct StoredRun: Sendable, Hashable {
  /// The number with which the first message was published: the end of the subject for its acknowledgement.
  package let first: Int
  /// The first message's number in the stream.
  package let sequence: UInt64
  package fileprivate(set) var count = 1

  fileprivate init(first: Int, sequence: UInt64) { (self.first, self.sequence) = (first, sequence) }
}

extension [StoredRun] {
  /// Adds a message, to the last run if it is its continuation.
  mutating func add(_ number: Int, at sequence: UInt64) {
    if let last, number == last.first + last.count, sequence == last.sequence + UInt64(last.count) {
      self[count - 1].count += 1
    } else {
      append(StoredRun(first: number, sequence: sequence))
    }
  }
}

/// Reads acknowledgements in their usual form: whole, consecutive, and with no contents but the message's place in the stream.
///
/// A `NATSMessage` for each would cost several times as much, and there is one acknowledgement for each published message.
struct AcknowledgementReader {
  /// `MSG SUBJECT.`, before the number.
  private let beginning: [UInt8]
  /// The subscription, between the number and the size.
  private let middle: [UInt8]

  /// - Parameter subject: the beginning of the subjects, up to the number.
  init(subject: String, subscription: Int) {
    beginning = Array("MSG \(subject)".utf8)
    middle = Array(" \(subscription) ".utf8)
  }

  /// Adds the acknowledgements at the beginning of `bytes` to `runs`, up to the first message that is anything else or is incomplete;
  /// returns the number of their bytes.
  func take(_ bytes: UnsafeBufferPointer<UInt8>, into runs: inout [StoredRun]) -> Int {
    beginning.withUnsafeBufferPointer { beginning in
      middle.withUnsafeBufferPointer { middle in
        var text = ByteReader(bytes)
        var taken = 0
        while text.matches(beginning), let number = text.digits(), text.matches(middle), let size = text.digits(), text.matches("\r\n"),
          size + 2 <= text.end - text.at
        {
          let payload = UnsafeBufferPointer(start: text.at, count: size)
          text.at += size
          guard let sequence = PublishAcknowledgement.sequence(payload), text.matches("\r\n") else { break }
          runs.add(number, at: sequence)
          taken = text.at - text.start
        }
        return taken
      }
    }
  }
}

extension ByteReader {
  /// A number of up to 18 digits.
  fileprivate mutating func digits() -> Int? {
    let first = at
    guard at < end, at.pointee &- 48 < 10, let value = try? integer(), at - first <= 18 else { return nil }
    return Int(value)
  }
}
