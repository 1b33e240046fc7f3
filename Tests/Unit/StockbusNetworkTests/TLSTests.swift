import StockbusPlugin
import StockbusTestKit
import TestServers
import Testing

@testable import StockbusNetwork

/// A private CA with a certificate for `localhost` and 127.0.0.1, one that has expired and one for another name, and a CA that has issued none.
final class Certificates: Sendable {
  let folder = TemporaryFolder()

  init() {
    let authority = TestAuthority("Private")
    folder.put(authority.certificate, in: "ca.pem")
    folder.put(TestAuthority("Other").certificate, in: "other.pem")
    keep(authority.issue(["localhost"], addresses: [[127, 0, 0, 1]]), as: "here")
    keep(authority.issue(["localhost"], isExpired: true), as: "past")
    keep(authority.issue(["elsewhere.example"]), as: "there")
  }

  private func keep(_ issued: (chain: String, key: String), as name: String) {
    folder.put(issued.chain, in: "\(name).pem")
    folder.put(issued.key, in: "\(name).key")
  }

  func identity(_ name: String) -> TLSIdentity {
    TLSIdentity(certificateFile: folder.file("\(name).pem"), keyFile: folder.file("\(name).key"))
  }
}

@Suite(.timeLimit(.minutes(15))) struct TLSTests {
  private func attempt(_ host: String, ca: String?, certificates: Certificates, identity: String = "here") async throws -> String {
    let clock = ManualTimekeeper()
    var serverSettings = WebSocketServer.Settings()
    serverSettings.identity = certificates.identity(identity)
    let server = try await WebSocketServer.start(serverSettings, clock: clock, .echo)
    var settings = ConnectionSettings()
    settings.tls.ca = ca.map(certificates.folder.file)
    let client = try WebSocketClient(WebSocketURL(isSecure: true, host: host, port: server.port), settings, clock: clock)
    var outcome: String
    do {
      outcome = try await client.withConnection { connection in
        try await connection.send("over TLS")
        return try await texts(1, from: connection)[0]
      }
    } catch { outcome = "\(error)" }
    await server.stop()
    return outcome
  }

  @Test func `a private CA is trusted where it is named, by name and by address, and nothing else is`() async throws {
    let certificates = Certificates()
    #expect(try await attempt("localhost", ca: "ca.pem", certificates: certificates) == "over TLS")
    #expect(try await attempt("127.0.0.1", ca: "ca.pem", certificates: certificates) == "over TLS")
    let untrusted =
      "the certificate of 'localhost' is not trusted; if a private CA has signed it, set 'ca' under 'tls' to the CA's file"
    #expect(try await attempt("localhost", ca: nil, certificates: certificates) == untrusted)
    #expect(try await attempt("localhost", ca: "other.pem", certificates: certificates) == untrusted)
  }

  @Test func `a certificate that has expired is told as such`() async throws {
    #expect(
      try await attempt("localhost", ca: "ca.pem", certificates: Certificates(), identity: "past")
        == "the certificate of 'localhost' is not trusted: certificate has expired")
  }

  @Test func `a certificate for another host is refused`() async throws {
    let certificates = Certificates()
    for host in ["localhost", "127.0.0.1"] {
      #expect(
        try await attempt(host, ca: "ca.pem", certificates: certificates, identity: "there")
          == "the certificate is not for '\(host)'; connect by one of its names")
    }
  }

  @Test func `a server that speaks no TLS is told as such`() async throws {
    let clock = ManualTimekeeper()
    let server = try await WebSocketServer.start(clock: clock, .echo)
    let client = try WebSocketClient(WebSocketURL(isSecure: true, host: "localhost", port: server.port), ConnectionSettings(), clock: clock)
    await #expect {
      _ = try await client.open()
    } throws: { "\($0)" == "'localhost' does not speak TLS there; use ws:// if that is meant" }
    await server.stop()
  }

  @Test func `files that are missing, or are none, are told before anything is opened`() throws {
    let certificates = Certificates()
    certificates.folder.put("no certificate\n", in: "text.pem")
    func words(_ ca: String) -> String {
      var settings = ConnectionSettings()
      settings.tls.ca = ca
      do throws(TLSError) {
        _ = try WebSocketClient(WebSocketURL(isSecure: true, host: "h", port: 1), settings, clock: ManualTimekeeper())
        return "no error"
      } catch { return "\(error)" }
    }
    let folder = certificates.folder.path
    #expect(words("/no/such.pem") == "/no/such.pem: No such file or directory")
    #expect(words(folder) == "\(folder): is a folder")
    let text = certificates.folder.file("text.pem")
    #expect(words(text) == "\(text): has no certificates; a PEM file has parts that begin with -----BEGIN CERTIFICATE-----")
    let identity = TLSIdentity(certificateFile: certificates.folder.file("here.pem"), keyFile: text)
    #expect(throws: TLSError.self) { try identity.serverContext() }
    let mixed = TLSIdentity(certificateFile: certificates.folder.file("here.pem"), keyFile: certificates.folder.file("there.key"))
    #expect {
      try mixed.serverContext()
    } throws: { "\($0)".hasSuffix("there.key do not match: key values mismatch") }
  }
}
