import Glibc
import Testing

@testable import StockbusSystem

@Suite struct ServiceManagerTests {
  /// A socket of a service manager, in a folder of its own.
  private final class Listener {
    let name: String
    private let folder: String
    private let descriptor: Int32

    init(isAbstract: Bool = false) throws {
      var template = Array("/tmp/stockbus-service-XXXXXX".utf8CString)
      folder = try #require(mkdtemp(&template).map { String(cString: $0) })
      name = (isAbstract ? "@" : "") + folder + "/notify"
      descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(name.utf8)) }
      if isAbstract { address.sun_path.0 = 0 }
      let length = socklen_t(MemoryLayout<sa_family_t>.size + name.utf8.count)
      let bound = withUnsafePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
      }
      try #require(bound == 0)
    }

    deinit {
      close(descriptor)
      unlink(folder + "/notify")
      rmdir(folder)
    }

    /// The next datagram; nil if there is none.
    func next() -> String? {
      var bytes = [UInt8](repeating: 0, count: 8192)
      let count = recv(descriptor, &bytes, bytes.count, CInt(MSG_DONTWAIT))
      return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }

    var manager: ServiceManager? { ServiceManager { $0 == "NOTIFY_SOCKET" ? name : nil } }
  }

  @Test func `without a socket there is nobody to notify`() {
    for value in [nil, "", "relative", "vsock:2:1234"] { #expect(ServiceManager { _ in value } == nil) }
  }

  @Test(arguments: [false, true]) func `each message is one datagram, at a path or at a name that is no file`(isAbstract: Bool) throws {
    let listener = try Listener(isAbstract: isAbstract)
    let manager = try #require(listener.manager)
    manager.notify(.ready, "3 components, ready")
    manager.notify(nil, "2 components, größer")
    manager.notify(.stopping)
    #expect(listener.next() == "READY=1\nSTATUS=3 components, ready")
    #expect(listener.next() == "STATUS=2 components, größer")
    #expect(listener.next() == "STOPPING=1")
    #expect(listener.next() == nil)
  }

  @Test func `a reload has the time of the monotonic clock in microseconds`() throws {
    func now() -> Int {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
    }
    let listener = try Listener()
    let before = now()
    listener.manager?.notify(.reloading)
    let after = now()
    let fields = try #require(listener.next()).split(separator: "\n")
    try #require(fields.count == 2 && fields[0] == "RELOADING=1" && fields[1].hasPrefix("MONOTONIC_USEC="))
    let time = try #require(Int(fields[1].dropFirst(15)))
    #expect((before...after).contains(time))
  }

  @Test func `a status is one line, and short enough to be read`() throws {
    let listener = try Listener()
    listener.manager?.notify(nil, "failed: x\nREADY=1\r\nSTOPPING=1")
    #expect(listener.next() == "STATUS=failed: x READY=1 STOPPING=1")
    listener.manager?.notify(.ready, String(repeating: "é", count: 5000))
    #expect(try #require(listener.next()) == "READY=1\nSTATUS=" + String(repeating: "é", count: 1024))
  }

  @Test func `nobody who listens, and a name that is too long, are no error`() throws {
    let name = try Listener().name
    ServiceManager { _ in name }?.notify(.ready)
    ServiceManager { _ in "/" + String(repeating: "x", count: 200) }?.notify(.ready)
  }
}
