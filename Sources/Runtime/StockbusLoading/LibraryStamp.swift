package import StockbusPlugin

/// `stamp.yaml` in a bundle: the program for which its library was built. The stamp is compared before any code of the library runs.
package struct LibraryStamp: Options {
  @Setting("The library's file in the bundle.", length: 1...200) package var library: String
  @Setting("A hash of the library's contents.", length: 1...64) package var contents: String
  @Setting("A hash of the modules of the contract.", length: 1...64) package var contract: String
  @Setting("The operating system and the processor type.", length: 1...64) package var platform: String
  package init() {}

  static let file = "stamp.yaml"

  package var text: String {
    """
    # What 'plugin build' has built. A program loads the library only if all of it is as it says here.
    library: \(library)
    contents: "\(contents)"
    contract: "\(contract)"
    platform: \(platform)

    """
  }

  static func read(_ bundle: String) throws(Problems) -> LibraryStamp {
    try BundleFile.read(bundle + "/" + file, missing: "'plugin build' writes it")
  }

  /// The hash of a library's contents.
  package static func contents(of bytes: [UInt8]) -> String {
    var hash = ContentHash()
    hash.add(bytes)
    return "\(hash)"
  }

  /// The platform of this program.
  package static var platform: String {
    #if arch(x86_64)
    let processor = "x86_64"
    #elseif arch(arm64)
    let processor = "arm64"
    #else
    let processor = "other"
    #endif
    #if os(Linux)
    return "linux-\(processor)"
    #elseif os(macOS)
    return "macos-\(processor)"
    #else
    return "other-\(processor)"
    #endif
  }
}
