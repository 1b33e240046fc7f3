package import StockbusConfig
package import StockbusPlugin

/// An installed plugin.
package struct PluginBundle: Sendable {
  package let path: String
  package let manifest: PluginManifest

  /// Reads the description only, and runs nothing. Throws all problems with their places.
  package init(at path: String) throws(Problems) {
    self.path = path
    manifest = try PluginManifest.read(path)
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    if manifest.name + PluginFolders.ending != name {
      var problems = Problems()
      let place = ConfigNode.Mark(file: path + "/" + PluginManifest.file, line: 1, column: 1)
      problems.add(
        "the plugin's name is \(shown(manifest.name)), so its folder must be \(manifest.name)\(PluginFolders.ending)", at: place)
      throw problems
    }
  }

  /// The plugin. Throws one sentence without a full stop.
  /// - Parameter catalogue: the program's own plugins.
  package func plugin(_ catalogue: Catalogue) throws(BundleFault) -> Plugin {
    switch manifest.home {
    case .program: throw BundleFault("it is a program of its own; run that program")
    case .loaded:
      let stamp: LibraryStamp
      do throws(Problems) { stamp = try LibraryStamp.read(path) } catch { throw BundleFault(error.sorted[0].description) }
      return try LoadedLibrary.load(stamp, of: manifest, in: path, probed: catalogue.probesLibraries).loaded(from: path)
    case .process: return try ProcessPlugin.make(manifest, in: path, catalogue).revised(FolderCopy(of: path).revision)
    }
  }
}

extension Catalogue {
  /// This catalogue and the plugins of these folders that a configuration names. Throws all problems: of the folders at their places, of a
  /// plugin where it is named.
  package func adding(_ folders: PluginFolders, for config: LoadedConfig) throws(Problems) -> Catalogue {
    var problems = folders.problems
    var found: [(bundle: PluginBundle, component: ComponentDescription)] = []
    var seen: Set<String> = []
    for component in config.description.components where seen.insert(component.plugin).inserted {
      let bundles = folders.bundles(of: component.plugin)
      func report(_ message: String) { problems.add("\(component.title): \(message)", at: component.pluginMark) }
      guard let first = bundles.first else {
        if self[component.plugin] == nil, let way = OwnManifest.wayToLoad(component) {
          report("unknown plugin \(component.shownPlugin)\(way)")
          continue
        }
        // The program's own names are suggested where the topology is checked.
        if self[component.plugin] == nil, didYouMean(component.plugin, among: plugins.map(\.name)).isEmpty,
          case let near = didYouMean(component.plugin, among: folders.names), !near.isEmpty
        {
          report("unknown plugin \(component.shownPlugin)\(near)")
        }
        continue
      }
      if self[component.plugin] != nil {
        report("two plugins have the name \(component.shownPlugin): the program's own, and \(shown(first, limit: 200))")
      } else if bundles.count > 1 {
        report("two plugins have the name \(component.shownPlugin): \(shown(first, limit: 200)) and \(shown(bundles[1], limit: 200))")
      } else {
        do throws(Problems) { found.append((try PluginBundle(at: first), component)) } catch { problems.add(error) }
      }
    }
    let more = plugins(of: found.map(\.bundle)) { place, fault in
      let (bundle, component) = found[place]
      problems.add("\(component.title): plugin \(shown(bundle.path, limit: 200)): \(fault)", at: component.pluginMark)
    }
    problems.add(OwnManifest.problems(of: config))
    guard problems.isEmpty else {
      problems.add(config.problems)
      throw problems
    }
    if more.isEmpty { return self }
    do throws(CatalogueError) { return try with(more) } catch {
      // Names were compared above.
      for fault in error.faults { problems.add(fault, at: ConfigNode.Mark(line: 1, column: 1)) }
      throw problems
    }
  }

  /// This catalogue and all usable plugins of these folders. Problems of the others are returned as lines.
  package func adding(_ folders: PluginFolders) -> (catalogue: Catalogue, faults: [String]) {
    var faults: [String] = []
    var found: [PluginBundle] = []
    for path in folders.bundles {
      do throws(Problems) {
        let bundle = try PluginBundle(at: path)
        let name = bundle.manifest.name
        if self[name] != nil || found.contains(where: { $0.manifest.name == name }) {
          faults.append("\(path): two plugins have the name \(shown(name))")
        } else {
          found.append(bundle)
        }
      } catch { faults += error.sorted.map(\.description) }
    }
    let more = plugins(of: found) { place, fault in faults.append("\(found[place].path): \(fault)") }
    return ((try? with(more)) ?? self, faults)
  }

  /// The plugins of these bundles that are usable. Libraries come first, because a process may take and emit their event types.
  private func plugins(of bundles: [PluginBundle], report: (Int, BundleFault) -> Void) -> [Plugin] {
    var more: [Plugin] = []
    let places = bundles.indices
    for place in places.filter({ bundles[$0].manifest.home == .loaded }) + places.filter({ bundles[$0].manifest.home != .loaded }) {
      do throws(BundleFault) { more.append(try bundles[place].plugin((try? with(more)) ?? self)) } catch { report(place, error) }
    }
    return more
  }

  private func with(_ more: [Plugin]) throws(CatalogueError) -> Catalogue {
    var all = try Catalogue(checkingNames: plugins + more)
    all.isolation = isolation
    all.probesLibraries = probesLibraries
    return all
  }
}
