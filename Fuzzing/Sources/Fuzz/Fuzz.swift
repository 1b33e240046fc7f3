#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// `Fuzz` lists the targets; `Fuzz TARGET ARGUMENTS…` attacks one, with libFuzzer's arguments; `Fuzz --words TARGET` and `Fuzz --seeds
/// TARGET FOLDER` write its dictionary and its seeds. It is usually run by `Scripts/fuzz.sh`.
@main enum Fuzz {
  /// The current target, set once before the first input. A global, because libFuzzer's callback has no parameter for it.
  nonisolated(unsafe) static var target = targets[0]

  static let targets: [Target] = [
    .expressions, .functions, .configurations, .commands, .orders, .csv, .instruments, .imports, .json, .gzip, .captures, .venues,
    .messages, .events,
    .values, .frames, .compressed, .nats, .packed, .requests, .handshakes, .answers, .zones, .memories, .terminal, .screen, .links,
    .programs, .arrow, .parquet,
  ]

  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count > 1 else {
      for target in targets { print(target.name.padded(to: 16) + target.about) }
      return
    }
    switch arguments[1] {
    case "--words": print(named(arguments.dropFirst(2).first).dictionary, terminator: "")
    case "--limits":
      let target = named(arguments.dropFirst(2).first)
      print("-max_len=\(target.limit)")
    case "--seeds":
      let target = named(arguments.dropFirst(2).first)
      for (n, seed) in target.seeds.enumerated() { keep(seed, at: "\(arguments.last ?? ".")/made-\(n)") }
    case let name:
      target = named(name)
      attack()
    }
  }

  private static func named(_ name: String?) -> Target {
    if let found = targets.first(where: { $0.name == name }) { return found }
    complain("there is no target '\(name ?? "")'; there are " + targets.map(\.name).joined(separator: ", "))
    exit(64)
  }

  /// Passes the other arguments to libFuzzer.
  private static func attack() {
    var pointers = CommandLine.unsafeArgv
    pointers[1] = pointers[0]
    pointers += 1
    var count = CommandLine.argc - 1
    exit(
      runFuzzer(&count, &pointers) { data, count in
        Fuzz.target.run(Array(UnsafeBufferPointer(start: data, count: count)))
        return 0
      })
  }

  private static func keep(_ bytes: [UInt8], at path: String) {
    guard let file = fopen(path, "w") else {
      complain("cannot write \(path)")
      exit(1)
    }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }
}

/// libFuzzer as a library: it calls `body` with inputs until the limits in its arguments are reached.
@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
  _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Writes to standard error, as libFuzzer does.
func complain(_ text: String) {
  var line = text + "\n"
  line.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
}

extension String {
  fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
