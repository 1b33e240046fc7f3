@testable import StockbusWeb

extension Target {
  /// The target, the cookies and the `Host` of a request, one a line: what is decoded leads nowhere else, and no field breaks out of its line.
  static let requests = Target(
    "requests", "targets, cookies and hosts of HTTP requests, a line each", limit: 2048, seeds: requestSeeds, budget: 60
  ) { bytes in
    let lines = bytes.split(separator: 10, maxSplits: 2, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    guard let target = WebTarget(lines[0]) else { return }
    law(target.path.hasPrefix("/") && !target.path.contains("?"), "a path begins with a slash, and has no query")
    law(!target.segments.contains("..") && !target.segments.contains("."), "a path that leads out: \(target.segments)")
    let texts = target.segments + target.query.flatMap { [$0.name, $0.value] }
    law(texts.allSatisfy { $0.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 } }, "a control character in \(texts)")
    law(target.query.count <= WebTarget.queryLimit, "\(target.query.count) names in a query")
    guard lines.count == 3 else { return }
    var fields = WebFields()
    let isValid = fields.add("Cookie", lines[1])
    law(isValid == (fields["cookie"] == lines[1]), "a field is as it was added, or is left out")
    let request = WebRequest(.get, target, fields: fields, from: WebClient(address: "", origin: ""))
    if let value = request.cookie("s") { law(lines[1].contains("s=\(value)"), "a cookie that was not sent: \(value)") }
    let host = lines[2]
    if HostNames.loopback.contains(host) {
      let name = host.lowercased()
      law(["localhost", "127.0.0.1", "[::1]"].contains { name == $0 || name.hasPrefix($0 + ":") }, "'\(host)' is not this machine")
    }
  }

  private static let requestSeeds: [[UInt8]] = [
    "/api/symbols/BTC%2FUSD?length=1m&from=0\nstockbus=a; s=b\nlocalhost:8080", "/a//b/?q=a+b%26c&q=2&empty&=x\ns=1; s=2\n[::1]:1",
    "/%252e%252e/é\ns=\"x\"\n127.0.0.1", "/symbol/..%2f\nx\nLOCALHOST:", "/?a&b=%00\n\nlocalhost.evil.test",
  ].map { Array($0.utf8) }
}
