import StockbusCrypto
import Testing

/// Values of the documents that define the algorithms.
@Suite struct CryptoTests {
  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }

  private func bytes(_ hex: String) -> [UInt8] {
    let digits = Array(hex)
    return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
  }

  /// FIPS 180-4's examples.
  @Test func `hashes`() {
    #expect(hex(Digest.sha256(Array("abc".utf8))) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(hex(Digest.sha256([])) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(hex(Digest.sha1(Array("abc".utf8))) == "a9993e364706816aba3e25717850c26c9cd0d89d")
    #expect(hex(Digest.sha1([])) == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
  }

  /// RFC 4231, cases 2 and 6: a short key, and one that is longer than a block.
  @Test func `authentication codes`() {
    #expect(
      hex(Digest.hmac(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8)))
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    let long = [UInt8](repeating: 0xaa, count: 131)
    #expect(
      hex(Digest.hmac(Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8), key: long))
        == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
  }

  /// RFC 7914, section 12.
  @Test func `slow hashes`() throws {
    let empty = try Scrypt.key([], salt: [], rounds: 16, blockSize: 1, parallelism: 1, memory: 1 << 20, count: 64)
    #expect(
      hex(empty)
        == "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"
    )
    let salted = try Scrypt.key(
      Array("password".utf8), salt: Array("NaCl".utf8), rounds: 1024, blockSize: 8, parallelism: 16, memory: 1 << 25, count: 64)
    #expect(
      hex(salted)
        == "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
    )
    #expect(throws: Scrypt.Failure.self) {
      try Scrypt.key([1], salt: [1], rounds: 17, blockSize: 8, parallelism: 1, memory: 1 << 25, count: 32)
    }
    #expect(throws: Scrypt.Failure.self) {
      try Scrypt.key([1], salt: [1], rounds: 1 << 15, blockSize: 8, parallelism: 1, memory: 1 << 20, count: 32)
    }
  }

  /// RFC 8032, section 7.1, tests 1 and 2.
  @Test func `signatures`() throws {
    let first = try #require(SigningKey(seed: bytes("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")))
    #expect(hex(first.publicKey) == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
    #expect(
      first.signature(of: []).map(hex)
        == "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
    )
    let second = try #require(SigningKey(seed: bytes("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")))
    #expect(
      second.signature(of: [0x72]).map(hex)
        == "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    )
    #expect(SigningKey(seed: [1, 2, 3]) == nil)
  }
}
