internal import MarketData
internal import StockbusNetwork
internal import StockbusText

/// A plain mail (RFC 5322) in UTF-8. No text in a subject or an address can end its header line.
struct MailMessage: Sendable {
  let from: String
  let to: [String]
  let subject: String
  let body: String
  /// Also the Message-ID, so that mail programs recognise a second copy.
  let id: String
  let date: Timestamp

  /// With the system's line ends, as sendmail's interface requires.
  var text: String {
    """
    From: \(Self.clean(from))
    To: \(to.map(Self.clean).joined(separator: ",\n "))
    Subject: \(Self.encoded(Self.clean(subject)))
    Date: \(Self.format(date))
    Message-ID: <\(id)@stockbus.invalid>
    Auto-Submitted: auto-generated
    MIME-Version: 1.0
    Content-Type: text/plain; charset=utf-8
    Content-Transfer-Encoding: base64

    \(Self.lines(Base64.encode(Array(body.utf8))))

    """
  }

  /// On one line, without control characters.
  static func clean(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 32 || (127..<160).contains($0.value) ? " " : $0 }))
  }

  /// Encoded as words of RFC 2047 if there is more than printable ASCII; each has at most 75 characters and is cut between characters.
  static func encoded(_ text: String) -> String {
    if text.utf8.allSatisfy({ (32..<127).contains($0) }), text.utf8.count <= 900, !text.contains("=?") { return text }
    var words: [String] = []
    var part: [UInt8] = []
    for character in text {
      let bytes = Array(String(character).utf8)
      if part.count + bytes.count > 45, !part.isEmpty {
        words.append("=?utf-8?B?\(Base64.encode(part))?=")
        part = []
      }
      part += bytes
    }
    words.append("=?utf-8?B?\(Base64.encode(part))?=")
    return words.joined(separator: "\n ")
  }

  private static func lines(_ base64: String) -> String {
    var lines: [Substring] = []
    var rest = base64[...]
    while !rest.isEmpty {
      lines.append(rest.prefix(76))
      rest = rest.dropFirst(76)
    }
    return lines.joined(separator: "\n")
  }

  /// `Tue, 08 Oct 2013 13:30:00 +0000`.
  static func format(_ time: Timestamp) -> String {
    let seconds = Int(time.ns >= 0 ? time.ns / 1_000_000_000 : (time.ns - 999_999_999) / 1_000_000_000)
    let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
    let second = seconds - days * 86_400
    let date = CivilDate(daysSinceEpoch: days)
    let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][((days % 7) + 7) % 7]
    let month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][date.month - 1]
    let two = { (value: Int) in (value < 10 ? "0" : "") + String(value) }
    return "\(weekday), \(two(date.day)) \(month) \(date.year) \(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60)) +0000"
  }
}
