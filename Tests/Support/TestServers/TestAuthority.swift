internal import Foundation

/// A certificate authority for one test: keys and certificates are new each time, and never expire.
///
/// Written by hand in DER (ITU-T X.690, RFC 5280), because a certificate library would have to be built for these tests alone.
public struct TestAuthority: Sendable {
  private let name: String
  private let key = TestKey()
  /// The certificate that has to be trusted, as PEM.
  public let certificate: String

  public init(_ name: String) {
    self.name = name
    certificate = Self.certificate(for: key, name, [Self.isAuthority], by: key, name, Self.always)
  }

  /// A certificate for these host names and IP addresses, with its key; both PEM.
  /// - Parameter isExpired: it was valid in the past.
  public func issue(_ names: [String], addresses: [[UInt8]] = [], isExpired: Bool = false) -> (chain: String, key: String) {
    let own = TestKey()
    let certificate = Self.certificate(
      for: own, names.first ?? "", [Self.alternatives(names, addresses)], by: key, name, isExpired ? Self.past : Self.always)
    return (certificate, own.pem)
  }

  /// A certificate that no authority has issued, with its key; both PEM.
  public static func selfSigned(_ names: [String]) -> (chain: String, key: String) {
    let (own, name) = (TestKey(), names.first ?? "")
    return (certificate(for: own, name, [alternatives(names, [])], by: own, name, always), own.pem)
  }

  /// RFC 5280, 4.2.1.6.
  private static func alternatives(_ names: [String], _ addresses: [[UInt8]]) -> [UInt8] {
    let all = names.map { DER.value(0x82, Array($0.utf8)) } + addresses.map { DER.value(0x87, $0) }
    return DER.sequence([DER.oid(0x55, 0x1d, 0x11), DER.octets(DER.sequence(all))])
  }

  /// RFC 5280, 4.2.1.9, critical.
  private static let isAuthority = DER.sequence([
    DER.oid(0x55, 0x1d, 0x13), DER.yes, DER.octets(DER.sequence([DER.yes])),
  ])
  /// RFC 5758, 3.2: ecdsa-with-SHA256.
  private static let algorithm = DER.sequence([DER.oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02)])
  /// From 2000 on; the end is RFC 5280's for "never" (4.1.2.5).
  private static let always = DER.sequence([
    DER.value(0x17, Array("000101000000Z".utf8)), DER.value(0x18, Array("99991231235959Z".utf8)),
  ])
  /// The year 2000.
  private static let past = DER.sequence([DER.value(0x17, Array("000101000000Z".utf8)), DER.value(0x17, Array("001231235959Z".utf8))])

  private static func certificate(
    for key: TestKey, _ subject: String, _ extensions: [[UInt8]], by signer: TestKey, _ issuer: String,
    _ validity: [UInt8]
  ) -> String {
    let serial = [UInt8.random(in: 1...127)] + (0..<7).map { _ in UInt8.random(in: .min ... .max) }
    let content = DER.sequence([
      DER.value(0xa0, DER.value(0x02, [2])), DER.value(0x02, serial), algorithm, commonName(issuer), validity, commonName(subject),
      key.publicKey, DER.value(0xa3, DER.sequence(extensions)),
    ])
    let whole = DER.sequence([content, algorithm, DER.value(0x03, [0] + signer.signature(of: content))])
    let text = Data(whole).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    return "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
  }

  private static func commonName(_ name: String) -> [UInt8] {
    DER.sequence([DER.value(0x31, DER.sequence([DER.oid(0x55, 0x04, 0x03), DER.value(0x0c, Array(name.utf8))]))])
  }
}

/// The few forms of DER that a certificate needs.
private enum DER {
  static let yes = value(0x01, [0xff])

  static func sequence(_ parts: [[UInt8]]) -> [UInt8] { value(0x30, parts.flatMap { $0 }) }
  static func octets(_ bytes: [UInt8]) -> [UInt8] { value(0x04, bytes) }
  static func oid(_ bytes: UInt8...) -> [UInt8] { value(0x06, bytes) }

  static func value(_ tag: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    switch bytes.count {
    case ..<128: [tag, UInt8(bytes.count)] + bytes
    case ..<256: [tag, 0x81, UInt8(bytes.count)] + bytes
    default: [tag, 0x82, UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes
    }
  }
}
