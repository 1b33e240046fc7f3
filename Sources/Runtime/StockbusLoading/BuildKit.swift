internal import LibC
internal import StockbusPlugin
internal import StockbusSystem

/// The modules against which a loadable library is built: those of the contract, exactly as they are in this program.
///
/// They are beside the program: where it was built, or where it was installed. Their contents are the stamp of a library. They depend on
/// the compiler, so the stamp does too.
package struct BuildKit: Sendable {
  /// The folder with the modules.
  package let modules: String
  /// The C module maps that the modules need.
  package let maps: [String]
  package let stamp: String

  /// The modules that a library can import.
  private static let names = ["MarketData", "EventBus", "StockbusOptions", "StockbusPlugin", "Logging"]

  /// - Parameter program: the path of the program; by default that of this process.
  package init(of program: String? = nil) throws(BundleFault) {
    guard let program = program ?? Self.ownPath, let slash = program.lastIndex(of: "/") else {
      throw BundleFault("this program cannot load libraries: its own path is unknown")
    }
    let folder = String(program[..<slash])
    let candidates = [
      (folder + "/Modules", folder + "/CMemoryBarrier.build/module.modulemap"),
      (folder + "/../lib/stockbus/Modules", folder + "/../lib/stockbus/Modules/CMemoryBarrier/module.modulemap"),
    ]
    guard let (modules, map) = candidates.first(where: { Self.age(of: $0.0 + "/StockbusPlugin.swiftmodule") != nil }) else {
      throw BundleFault("this program cannot load libraries: the modules for building them are not beside it, in \(folder)")
    }
    self.modules = modules
    maps = [map]
    var hash = ContentHash()
    for name in Self.names {
      let path = "\(modules)/\(name).swiftmodule"
      guard let age = Self.age(of: path), let bytes = try? Self.contents(path) else { throw BundleFault("\(path) cannot be read") }
      // A program that was not linked again contains older modules than those beside it.
      if let own = Self.age(of: program), age > own { throw BundleFault("\(path) is newer than this program: build the program again") }
      hash.add(bytes)
    }
    stamp = "\(hash)"
  }

  static var ownPath: String? {
    guard let path = realpath("/proc/self/exe", nil) ?? CommandLine.arguments.first.flatMap({ realpath($0, nil) }) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }

  static func contents(_ path: String) throws(Errno) -> [UInt8] {
    // Only a plain file can be a library or a module.
    try FileDescriptor.contents(ofPlainFile: path, atMost: sizeLimit) ?? []
  }

  /// No module and no library is larger.
  static let sizeLimit = 256 << 20

  /// When a file was last written, in nanoseconds; nil if it is missing.
  private static func age(of path: String) -> Int64? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    #if canImport(Darwin)
    return Int64(status.st_mtimespec.tv_sec) * 1_000_000_000 + Int64(status.st_mtimespec.tv_nsec)
    #else
    return Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    #endif
  }
}

/// FNV-1a (Fowler, Noll, Vo) of bytes, in 64 bits. It detects changes; it does not resist forgery.
struct ContentHash: CustomStringConvertible {
  private var state: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ bytes: some Sequence<UInt8>) { for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 } }

  var description: String {
    let digits = String(state, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
