internal import LibC
package import StockbusPlugin
internal import StockbusSystem

/// A plugin in a library, which becomes a part of this process. Nothing is ever unloaded: a rebuilt library is loaded beside the old one.
package enum LoadedLibrary {
  /// The function that a library exports: it writes its plugin to the given place.
  static let symbol = "stockbus_plugin"

  /// Loads the library of a bundle after comparing its stamp. Throws one sentence without a full stop.
  ///
  /// - Parameter probed: true to load the library in a separate process first.
  package static func load(
    _ stamp: LibraryStamp, of manifest: PluginManifest, in bundle: String, probed: Bool
  ) throws(BundleFault) -> Plugin {
    let rebuild = "build it again, with 'plugin build' in the plugin's folder, and install it"
    if stamp.platform != LibraryStamp.platform {
      throw BundleFault("its library is for \(shown(stamp.platform)), but this program is for \(LibraryStamp.platform); \(rebuild)")
    }
    let kit = try BuildKit()
    if stamp.contract != kit.stamp {
      throw BundleFault(
        "its library was built for another stockbus or by another compiler (\(shown(stamp.contract)), not \(kit.stamp)); \(rebuild)")
    }
    if stamp.library.contains("/") || stamp.library.hasPrefix(".") {
      throw BundleFault("\(LibraryStamp.file) names a library outside the bundle: \(shown(stamp.library))")
    }
    let path = bundle + "/" + stamp.library
    try checkOwner(bundle)
    try checkOwner(path)
    let contents: [UInt8]
    do throws(Errno) { contents = try BuildKit.contents(path) } catch { throw BundleFault("its library cannot be read: \(error)") }
    if LibraryStamp.contents(of: contents) != stamp.contents {
      throw BundleFault("its library \(shown(stamp.library)) was changed after the build; \(rebuild)")
    }
    if probed, let fault = LibraryProbe.fault(of: path, stamp.contents) { throw BundleFault("\(fault); \(rebuild)") }
    guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
      throw BundleFault("its library cannot be loaded: \(visible(dlerror().map { String(cString: $0) } ?? "unknown", limit: 400))")
    }
    guard let entry = dlsym(library, symbol) else { throw BundleFault("its library has no function '\(symbol)'; \(rebuild)") }
    let plugin = plugin(from: entry)
    if plugin.name != manifest.name {
      throw BundleFault("its library has the plugin \(shown(plugin.name)), not \(shown(manifest.name))")
    }
    return plugin.revised(stamp.contents)
  }

  /// The plugin of a library, without any check; nil if it cannot be loaded.
  static func open(_ path: String) -> Plugin? {
    dlopen(path, RTLD_NOW | RTLD_LOCAL).flatMap { dlsym($0, symbol) }.map { plugin(from: $0) }
  }

  /// Calls the library's function. The stamp has shown that both sides have the same type `Plugin`.
  private static func plugin(from entry: UnsafeMutableRawPointer) -> Plugin {
    typealias Entry = @convention(c) (UnsafeMutableRawPointer) -> Void
    let place = UnsafeMutablePointer<Plugin>.allocate(capacity: 1)
    defer { place.deallocate() }
    unsafeBitCast(entry, to: Entry.self)(UnsafeMutableRawPointer(place))
    return place.move()
  }

  /// Refuses a file that another user owns or may write: its code would run with this user's rights.
  private static func checkOwner(_ path: String) throws(BundleFault) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw BundleFault("\(shown(path, limit: 200)) cannot be read: \(Errno(rawValue: errno))") }
    if status.st_uid != geteuid(), status.st_uid != 0 { throw BundleFault("\(shown(path, limit: 200)) belongs to another user") }
    if status.st_mode & 0o022 != 0 { throw BundleFault("others may write to \(shown(path, limit: 200))") }
  }
}
