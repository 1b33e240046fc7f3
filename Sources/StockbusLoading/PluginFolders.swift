package import StockbusPlugin
internal import StockbusSystem

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The folders in which a run looks for plugins that are not in its program: each is a folder `NAME.stockbusplugin`.
package struct PluginFolders: Sendable {
  /// A folder, and where it is named; nil for the user's own.
  package struct Place: Sendable, Hashable {
    package let path: String
    package let mark: ConfigNode.Mark?

    package init(path: String, mark: ConfigNode.Mark?) {
      self.path = path
      self.mark = mark
    }
  }

  package static let ending = ".stockbusplugin"
  /// The most plugins that are listed of one folder.
  package static let listLimit = 1_000

  package let places: [Place]

  package init(_ places: [Place]) { self.places = places }

  /// The user's own: `stockbus/plugins` in XDG_DATA_HOME or `~/.local/share`; nil if neither is known.
  package static func own(_ environment: (String) -> String?) -> String? {
    func folder(_ name: String) -> String? { environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
    return (folder("XDG_DATA_HOME") ?? folder("HOME").map { $0 + "/.local/share" }).map { $0 + "/stockbus/plugins" }
  }

  /// The bundles of a plugin, in the order of the folders.
  package func bundles(of name: String) -> [String] {
    // A name from a configuration must not lead elsewhere.
    guard PluginName.fault(name) == nil else { return [] }
    return places.map { $0.path + "/" + name + Self.ending }.filter(Self.isFolder)
  }

  /// All bundles of all folders, by name in each.
  package var bundles: [String] {
    places.flatMap { place in Self.names(in: place.path).map { place.path + "/" + $0 } }
  }

  /// The folders that a configuration names and that are not there, each as a problem.
  package var problems: Problems {
    var problems = Problems()
    for place in places {
      if let mark = place.mark, !Self.isFolder(place.path) {
        problems.add("plugin_path: \(shown(place.path, limit: 200)) is no folder", at: mark)
      }
    }
    return problems
  }

  private static func names(in folder: String) -> [String] {
    guard let handle = opendir(folder) else { return [] }
    defer { closedir(handle) }
    var names: [String] = []
    while names.count < listLimit, let entry = readdir(handle) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name.hasSuffix(ending), PluginName.fault(String(name.dropLast(ending.count))) == nil { names.append(name) }
    }
    return names.sorted()
  }

  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
