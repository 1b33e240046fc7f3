internal import StockbusConfig
internal import StockbusPlugin

/// The description of a process that a configuration runs from its author's folder, as `plugin new` writes it.
enum OwnManifest {
  /// The problems in the options of processes that are named by their program, according to the descriptions beside these programs, and
  /// the problems of these descriptions: without a valid one the options could not be checked.
  static func problems(of config: LoadedConfig) -> Problems {
    var problems = Problems()
    for component in config.description.components where component.plugin.hasPrefix("program_") {
      let found: (manifest: PluginManifest, file: String)?
      do throws(Problems) { found = try manifest(of: component.options) } catch {
        for problem in error.list { problems.add("\(problem.message) (it declares the options of \(component.title))", at: problem.mark) }
        continue
      }
      guard let found else { continue }
      do throws(Problems) {
        _ = try found.manifest.checked(component.options["options"], at: component.pluginMark, declaredIn: found.file)
      } catch {
        for problem in error.list { problems.add("\(component.title): \(problem.message)", at: problem.mark) }
      }
    }
    return problems
  }

  /// What to write for a plugin that is not installed, but whose author's folder stands beside the configuration, or is its folder; the
  /// end of a sentence, nil if there is no such folder.
  static func wayToLoad(_ component: ComponentDescription) -> String? {
    let name = component.plugin
    guard PluginName.fault(name) == nil else { return nil }
    let file = component.pluginMark.file
    let beside = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    for (folder, base) in [(beside + name, beside + name + "/"), (beside.isEmpty ? "." : String(beside.dropLast()), beside)] {
      guard let manifest = try? PluginManifest.read(folder), manifest.name == name else { continue }
      let place = "; it is in the folder \(shown(folder, limit: 200))"
      switch manifest.home {
      case .process:
        let run = manifest.run.map { FolderCopy.isFile(base + $0) ? base + $0 : $0 }.map(\.optionText).joined(separator: ", ")
        return "\(place): write plugin: program_\(manifest.kind.rawValue), run: [\(run)], or install it: 'plugin install \(folder)'"
      case .loaded:
        return "\(place): 'plugin build \(folder)' builds it, and the line plugin_path: \(base)build at the top level loads it"
      case .program: return "\(place), which is a program of its own: run the configuration with that program"
      }
    }
    return nil
  }

  /// The description in the folder of a file that is run, if it is about this file, and its path. Throws the problems of one that cannot
  /// be read.
  private static func manifest(of options: ConfigNode) throws(Problems) -> (manifest: PluginManifest, file: String)? {
    guard case .list(let run)? = options["run"]?.value else { return nil }
    let folder: String? = if case .scalar(let path)? = options["folder"]?.value { path } else { nil }
    for case .scalar(let word) in run.map(\.value) {
      guard let name = word.split(separator: "/").last.map(String.init) else { continue }
      let path = word.hasPrefix("/") ? word : (folder.map { $0 + "/" } ?? "") + word
      guard FolderCopy.isFile(path) else { continue }
      let parent = String(path.dropLast(name.utf8.count))
      let file = parent + PluginManifest.file
      guard FolderCopy.isFile(file) else { continue }
      let manifest = try PluginManifest.read(parent.isEmpty ? "." : String(parent.dropLast()))
      guard manifest.home == .process else { continue }
      if manifest.run.contains(where: { $0.split(separator: "/").last.map(String.init) == name }) { return (manifest, file) }
    }
    return nil
  }
}
