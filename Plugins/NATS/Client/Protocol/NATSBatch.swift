internal import MarketData

/// Encoded operations to be sent: many operations for one write.
package struct NATSBatch: ~Copyable {
  var bytes = ByteWriter(capacity: 1 << 16)

  package init() {}

  package var count: Int { bytes.count }
  package mutating func clear() { bytes.clear() }

  /// Adds `PUB subject [reply] bytes`, or `HPUB` if there are headers.
  ///
  /// - Parameters:
  ///   - subject: a valid subject.
  ///   - number: the end of the subject for the reply, after `reply`; -1 for none.
  ///   - headers: from `NATS/1.0` to the blank line.
  package mutating func publish(
    _ subject: UnsafeBufferPointer<UInt8>, reply: UnsafeBufferPointer<UInt8>, number: Int = -1,
    headers: UnsafeBufferPointer<UInt8>, _ payload: UnsafeBufferPointer<UInt8>
  ) {
    if headers.isEmpty { bytes.append("PUB ") } else { bytes.append("HPUB ") }
    bytes.append(subject)
    if !reply.isEmpty {
      blank()
      bytes.append(reply)
      if number >= 0 {
        bytes.reserve(24)
        bytes.put(integer: Int64(number))
      }
    }
    bytes.reserve(48)
    bytes.put(32)
    if !headers.isEmpty {
      bytes.put(integer: Int64(headers.count))
      bytes.put(32)
    }
    bytes.put(integer: Int64(headers.count + payload.count))
    end()
    bytes.append(headers)
    bytes.append(payload)
    end()
  }

  /// Adds a message given as texts.
  package mutating func publish(_ subject: String, reply: String = "", headers: String = "", _ payload: String = "") {
    var (subject, reply, headers, payload) = (subject, reply, headers, payload)
    subject.withUTF8 { subject in
      reply.withUTF8 { reply in
        headers.withUTF8 { headers in payload.withUTF8 { publish(subject, reply: reply, headers: headers, $0) } }
      }
    }
  }

  mutating func subscribe(_ subject: String, queue: String?, _ number: Int) {
    bytes.append("SUB \(subject) \(queue.map { $0 + " " } ?? "")\(number)\r\n")
  }

  mutating func unsubscribe(_ number: Int) { bytes.append("UNSUB \(number)\r\n") }

  private mutating func blank() {
    bytes.reserve(1)
    bytes.put(32)
  }

  private mutating func end() {
    bytes.reserve(2)
    bytes.put(13)
    bytes.put(10)
  }
}
