internal import LibC
internal import StockbusSystem

/// The kind of a program's file, by its first bytes.
package struct ProgramImage {
  /// True for files that every kernel can start: a script that names its interpreter, or machine code.
  package let isKnown: Bool

  /// Nil if there is no such file, or it is not executable.
  package init?(_ path: String) {
    guard access(path, X_OK) == 0 else { return nil }
    // A file that is executable but not readable must be machine code.
    guard let file = try? FileDescriptor.opening(path, .readOnly, .nonBlocking) else {
      isKnown = true
      return
    }
    defer { try? file.shut() }
    let bytes = (try? file.readToEnd(atMost: 4)) ?? []
    let isScript = bytes.starts(with: "#!".utf8)
    // The first bytes of ELF; of Mach-O, thin or with several architectures.
    let codes: [[UInt8]] = [[0x7f, 0x45, 0x4c, 0x46], [0xcf, 0xfa, 0xed, 0xfe], [0xca, 0xfe, 0xba, 0xbe]]
    isKnown = isScript || codes.contains(bytes)
  }
}
