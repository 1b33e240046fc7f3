import NIOCore
import NIOEmbedded
import TestSupport
import TestServers
import Testing

@testable import StockbusTLS

/// Whom a client trusts, and what it says of others.
@Suite struct VerificationTests {
  let authority = Authority()

  /// How a client's handshake with a server ends.
  private func outcome(_ host: String, _ server: TLSContext, _ client: TLSContext? = nil) throws -> String {
    let pair = try Pair(client ?? authority.client(), server, host: host).connect()
    pair.client.say("secret")
    pair.carry()
    if pair.client.ear.errors == [] {
      #expect(pair.server.ear.text == "secret")
      return "trusted"
    }
    #expect(pair.server.ear.bytes == [] && !pair.client.isOpen && pair.client.ear.errors.count == 1)
    // The server is told.
    #expect(pair.server.ear.errors.first?.hasPrefix("the other side refused: ") == true)
    return pair.client.ear.errors[0]
  }

  @Test func `names and addresses`() throws {
    let named = try authority.server(["localhost", "*.prices.test", "b*r.test"])
    for host in ["localhost", "LOCALHOST", "localhost.", "a.prices.test"] { #expect(try outcome(host, named) == "trusted") }
    for host in ["elsewhere", "prices.test", "a.b.prices.test", "bar.test", "127.0.0.1", "::1"] {
      #expect(try outcome(host, named) == "the certificate is for another name")
    }
    let numbered = try authority.server([], addresses: [[127, 0, 0, 1], [UInt8](repeating: 0, count: 15) + [1]])
    for host in ["127.0.0.1", "::1", "0:0:0:0:0:0:0:1", "::1%lo"] { #expect(try outcome(host, numbered) == "trusted") }
    for host in ["127.0.0.2", "::2", "localhost"] { #expect(try outcome(host, numbered) == "the certificate is for another name") }
  }

  @Test func `no host is no reason to check nothing`() throws {
    for host in ["", ".", "local\0host"] { #expect(throws: TLSFailure.self) { try TLSHandler(client: authority.client(), host: host) } }
  }

  @Test func `certificates that are not trusted, each with its reason`() throws {
    let (server, stranger) = (try authority.server(), TestAuthority("Other"))
    let unknown = "the certificate is not trusted: unable to get local issuer certificate"
    #expect(try outcome("localhost", server, TLSContext(trusting: stranger.certificate)) == unknown)
    #expect(try outcome("localhost", server, TLSContext(clientTrusting: nil, trustsSystem: true, protocols: [])) == unknown)
    // One of the same name that has another key.
    let double = TestAuthority("Private")
    #expect(try outcome("localhost", server, TLSContext(trusting: double.certificate)).contains("signature failure"))
    #expect(
      try outcome("localhost", authority.server(isExpired: true)) == "the certificate is not trusted: certificate has expired")
    let own = TestAuthority.selfSigned(["localhost"])
    let selfSigned = try outcome("localhost", TLSContext(chain: own.chain, key: own.key))
    #expect(selfSigned.hasPrefix("the certificate is not trusted: self") && selfSigned.hasSuffix("signed certificate"))
    #expect(try outcome("localhost", TLSContext(chain: own.chain, key: own.key), TLSContext(trusting: own.chain)) == "trusted")
  }

  @Test func `whether the issuer is known decides what a person is told`() {
    #expect(TLSFailure.certificate(20) == .untrusted("unable to get local issuer certificate", isIssuerKnown: false))
    #expect(TLSFailure.certificate(10) == .untrusted("certificate has expired", isIssuerKnown: true))
    #expect(TLSFailure.certificate(62) == .wrongName && TLSFailure.certificate(64) == .wrongName)
  }

  @Test func `the system's certificates and those of a file together`() throws {
    let roots = try #require(TLSCertificates(pem: TestAuthority("Other").certificate + authority.authority.certificate))
    #expect(roots.pointers.count == 2)
    let both = try TLSContext(clientTrusting: roots, trustsSystem: true, protocols: [])
    #expect(try outcome("localhost", authority.server(), both) == "trusted")
  }

  @Test func `a key that does not belong, and texts that are neither certificates nor keys`() throws {
    let (first, second) = (authority.authority.issue(["localhost"]), authority.authority.issue(["localhost"]))
    #expect {
      try TLSContext(chain: first.chain, key: second.key)
    } throws: { if case TLSFailure.foreignKey = $0 { true } else { false } }
    #expect(TLSCertificates(pem: "") == nil && TLSCertificates(pem: "words") == nil && TLSCertificates(pem: first.key) == nil)
    #expect(TLSKey(pem: "") == nil && TLSKey(pem: first.chain) == nil)
    #expect(TLSCertificates(file: "/no/such.pem") == nil && TLSKey(file: "/no/such.pem") == nil)
    // The second one is broken.
    #expect(TLSCertificates(pem: first.chain + first.chain.replacing("MII", with: "AAA")) == nil)
    // A key with a password is asked of nobody.
    let locked = first.key.replacing(
      "-----BEGIN PRIVATE KEY-----",
      with: "-----BEGIN PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00112233445566778899AABBCCDDEEFF\n")
    #expect(TLSKey(pem: locked) == nil)
    var random = SplitMix(UInt64(5))
    for _ in 0..<rounds(200) {
      var text = Array((first.chain + first.key).utf8)
      for _ in 0...random.upTo(3) { text[random.upTo(text.count - 1)] = UInt8.random(in: 10...126, using: &random) }
      let damaged = String(decoding: text, as: UTF8.self)
      if let chain = TLSCertificates(pem: damaged), let key = TLSKey(pem: damaged) { _ = try? TLSContext(serverWith: chain, key: key) }
    }
  }
}
