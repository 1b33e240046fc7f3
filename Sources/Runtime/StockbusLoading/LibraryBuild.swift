internal import LibC
internal import StockbusPlugin
internal import StockbusSystem

/// Builds the library of a loaded plugin by one call of the compiler, against the modules beside this program.
package struct LibraryBuild: Sendable {
  private let manifest: PluginManifest
  private let folder: String
  private let kit: BuildKit

  package init(_ manifest: PluginManifest, in folder: String) throws(BundleFault) {
    self.manifest = manifest
    self.folder = folder
    kit = try BuildKit()
  }

  /// Where the bundle is written: in the plugin's folder, so that a configuration there finds it by `plugin_path: build`.
  package var shelf: PluginShelf {
    let path = folder == "." ? Self.workingFolder : folder.hasPrefix("/") ? folder : Self.workingFolder + "/" + folder
    return PluginShelf(path + "/build")
  }

  /// Compiles, and writes the bundle, unless the present one was built from the same files for this program. The compiler's messages go to
  /// its standard error.
  package func run() throws(BundleFault) {
    let sources = try FolderCopy(of: folder + "/Sources").names.filter { $0.hasSuffix(".swift") }.sorted()
    let paths = sources.map { "\(folder)/Sources/\($0)" }
    if sources.isEmpty { throw BundleFault("there are no Swift files in \(folder)/Sources") }
    // A rebuilt library is loaded beside the former one, so its types need other names: the module's name contains a hash of its contents.
    var hash = ContentHash()
    hash.add(kit.stamp.utf8)
    for (source, path) in zip(sources, paths) {
      hash.add(source.utf8)
      hash.add([0])
      do throws(Errno) { hash.add(try BuildKit.contents(path)) } catch { throw BundleFault("\(path) cannot be read: \(error)") }
    }
    let library = "\(manifest.name)-\(hash).so"
    let description: [UInt8]
    do throws(Errno) { description = try BuildKit.contents(folder + "/" + PluginManifest.file) } catch {
      throw BundleFault("\(PluginManifest.file) cannot be read: \(error)")
    }
    if isBuilt(library, description) { return }
    let temporary = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(temporary)/stockbus-build-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw BundleFault("no temporary folder can be made: \(Errno(rawValue: errno))") }
    let work = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { PluginShelf.remove(work) }
    let entry = work + "/Entry.swift"
    try Self.put(entrySource.utf8, in: entry)
    let name = PluginName(snake: manifest.name)
    let bundle = work + "/bundle"
    if mkdir(bundle, 0o755) != 0 { throw BundleFault("\(bundle) cannot be made: \(Errno(rawValue: errno))") }
    let words =
      [
        "swiftc", "-emit-library", "-O", "-wmo", "-swift-version", "6", "-module-name", "\(name.upper)_\(hash)", "-I", kit.modules,
        "-o", "\(bundle)/\(library)",
      ] + kit.maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] } + [entry] + paths
    try Self.call(words)
    let contents: [UInt8]
    do throws(Errno) { contents = try BuildKit.contents("\(bundle)/\(library)") } catch {
      throw BundleFault("the library cannot be read: \(error)")
    }
    var stamp = LibraryStamp()
    stamp.library = library
    stamp.contents = LibraryStamp.contents(of: contents)
    stamp.contract = kit.stamp
    stamp.platform = LibraryStamp.platform
    try Self.put(stamp.text.utf8, in: "\(bundle)/\(LibraryStamp.file)")
    try Self.put(description, in: "\(bundle)/\(PluginManifest.file)")
    _ = try shelf.install(FolderCopy(of: bundle), as: manifest.name)
  }

  /// True if the present bundle has this library, whole and for this program, and this description.
  private func isBuilt(_ library: String, _ description: [UInt8]) -> Bool {
    let bundle = shelf.bundle(manifest.name)
    guard let stamp = try? LibraryStamp.read(bundle), stamp.library == library, stamp.contract == kit.stamp,
      stamp.platform == LibraryStamp.platform, let contents = try? BuildKit.contents("\(bundle)/\(library)")
    else { return false }
    return LibraryStamp.contents(of: contents) == stamp.contents
      && (try? BuildKit.contents("\(bundle)/\(PluginManifest.file)")) == description
  }

  private var entrySource: String {
    """
    import StockbusPlugin

    @_cdecl("\(LoadedLibrary.symbol)") public func stockbusPlugin(_ place: UnsafeMutableRawPointer) {
      place.initializeMemory(as: Plugin.self, to: .\(PluginName(snake: manifest.name).lower))
    }

    """
  }

  private static var workingFolder: String {
    guard let folder = getcwd(nil, 0) else { return "." }
    defer { free(folder) }
    return String(cString: folder)
  }

  private static func put(_ bytes: some Collection<UInt8>, in path: String) throws(BundleFault) {
    do throws(Errno) {
      let file = try FileDescriptor.opening(
        path, .writeOnly, [.create, .truncate], permissions: [.ownerReadWrite, .groupRead, .otherRead])
      defer { try? file.shut() }
      try file.writeWhole(Array(bytes))
    } catch { throw BundleFault("\(shown(path, limit: 200)) cannot be written: \(error)") }
  }

  /// Runs a tool with this process's streams, and waits for it.
  private static func call(_ words: [String]) throws(BundleFault) {
    var id: pid_t = 0
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    let fault = posix_spawnp(&id, words[0], nil, nil, &arguments, environ)
    if fault != 0 { throw BundleFault("\(words[0]) could not be started: \(Errno(rawValue: fault)); is it installed?") }
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 {
      if errno != EINTR { throw BundleFault("\(words[0]) ended unexpectedly: \(Errno(rawValue: errno))") }
    }
    if status != 0 { throw BundleFault("\(words[0]) reported errors") }
  }
}
