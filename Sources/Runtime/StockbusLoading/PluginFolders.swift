internal import LibC
package import StockbusPlugin
internal import StockbusSystem

/// The folders in which a run searches for plugins that are not in its program: each plugin is a folder `NAME.stockbusplugin`.
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
  /// The most names of one folder that are checked for a list of plugins.
  package static let listLimit = 1_000

  package let places: [Place]

  package init(_ places: [Place]) { self.places = places }

  /// The user's own folder: `stockbus/plugins` in XDG_DATA_HOME or `~/.local/share`; nil if neither is known.
  package static func own(_ environment: (String) -> String?) -> String? {
    func folder(_ name: String) -> String? { environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
    return (folder("XDG_DATA_HOME") ?? folder("HOME").map { $0 + "/.local/share" }).map { $0 + "/stockbus/plugins" }
  }

  /// The bundles of a plugin, in the order of the folders. A folder that a configuration names precedes the user's own: an author who works
  /// on an installed plugin means the one being edited.
  package func bundles(of name: String) -> [String] {
    // A name from a configuration must not lead elsewhere.
    guard PluginName.fault(name) == nil else { return [] }
    let found = places.filter { Self.isFolder($0.path + "/" + name + Self.ending) }
    let named = found.filter { $0.mark != nil }
    return (named.isEmpty ? found : named).map { $0.path + "/" + name + Self.ending }
  }

  /// All bundles of all folders, by name in each, without those of the user's own folder that another folder replaces.
  package var bundles: [String] {
    var named: Set<String> = []
    for place in places where place.mark != nil { named.formUnion(Self.names(in: place.path)) }
    return places.flatMap { place in
      Self.names(in: place.path).filter { place.mark != nil || !named.contains($0) }.map { place.path + "/" + $0 }
    }
  }

  /// The names of all plugins in all folders.
  var names: [String] { Set(places.flatMap { Self.names(in: $0.path) }).map { String($0.dropLast(Self.ending.count)) }.sorted() }

  /// The folders that a configuration names but that do not exist, each as a problem.
  package var problems: Problems {
    var problems = Problems()
    for place in places {
      if let mark = place.mark, !Self.isFolder(place.path) {
        let hint = place.path.hasSuffix("/build") ? "; 'plugin build' makes it" : ""
        problems.add("plugin_path: \(shown(place.path, limit: 200)) is not a folder\(hint)", at: mark)
      }
    }
    return problems
  }

  private static func names(in folder: String) -> [String] {
    let names = (try? FolderListing.names(folder, atMost: listLimit)) ?? []
    return names.filter { $0.hasSuffix(ending) && PluginName.fault(String($0.dropLast(ending.count))) == nil }.sorted()
  }

  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
