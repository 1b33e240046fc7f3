import LibC
package import StockbusPlugin

/// Reads a pipeline from files and folders: YAML, variables, and the parts that every component must have.
///
/// Several files form one configuration: their sections are joined, and an id, or an option of `runtime`, may occur only once in all of
/// them. Top-level keys that begin with `x-` are ignored; they can hold anchors, which are valid within one file.
package struct ConfigLoader: Sendable {
  /// The configuration of commands that are given none.
  package static let usual = "plugins.yaml"

  private let limits: ConfigLimits
  private let environment: @Sendable (String) -> String?

  /// `environment` returns the value of a variable, or nil if it is not set.
  package init(
    limits: ConfigLimits = ConfigLimits(), environment: @escaping @Sendable (String) -> String? = ConfigLoader.processEnvironment
  ) {
    self.limits = limits
    self.environment = environment
  }

  /// The value of a variable in this process's environment.
  @Sendable package static func processEnvironment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// Reads files, and of folders every `*.yaml` and `*.yml` file in order of the names, without hidden files and sub-folders. A file that
  /// is reached twice is read once. `-` is standard input. A file or folder that cannot be read is reported as a problem.
  package func load(paths: [String]) -> LoadedConfig {
    var builder = DescriptionBuilder(limits: limits, environment: environment)
    var seen: Set<ConfigFiles.Identity> = []
    for path in paths {
      do throws(Problem) {
        for file in try ConfigFiles.expand(path, limits: limits) {
          if let identity = ConfigFiles.identity(file), !seen.insert(identity).inserted { continue }
          do throws(Problem) {
            try ConfigFiles.refuseData(file)
            let bytes = try ConfigFiles.read(file, limits: limits)
            builder.add(YAMLParser.parse(bytes, file: file, limits: limits), file: file)
          } catch { builder.fail(error) }
        }
      } catch { builder.fail(error) }
    }
    return builder.finish()
  }

  /// Reads one file of YAML that is no configuration; throws all problems.
  package func node(in path: String) throws(Problems) -> ConfigNode {
    var problems = Problems()
    do throws(Problem) {
      let document = YAMLParser.parse(try ConfigFiles.read(path, limits: limits), file: path, limits: limits)
      if let root = document.root, document.problems.isEmpty { return root }
      problems.add(document.problems)
    } catch { problems.add(error.message, at: error.mark) }
    throw problems
  }

  /// The files that a path stands for now: itself, or the configuration files of a folder.
  package static func files(_ path: String) -> [String] {
    do throws(Problem) { return try ConfigFiles.expand(path, limits: ConfigLimits()) } catch { return [path] }
  }

  /// False for standard input, pipes and devices, which are read once or never end. A missing file is reported when it is read.
  package static func canReadAgain(_ path: String) -> Bool {
    if path.isEmpty || path == "-" { return false }
    return files(path).allSatisfy { file in
      guard let status = try? ConfigFiles.status(file) else { return true }
      return status.st_mode & S_IFMT == S_IFREG || status.st_mode & S_IFMT == S_IFDIR
    }
  }

  /// Reads one text as if it were the file `file`.
  package func load(text: String, file: String = usual) -> LoadedConfig {
    load(texts: [(file, text)])
  }

  /// Reads components that a program has defined in code: ids with their mappings, in which `$` is a plain character.
  package func load(components: [(section: Section, entry: ConfigNode.Entry)], runtime: ConfigNode.Entry? = nil) -> LoadedConfig {
    var builder = DescriptionBuilder(limits: limits, environment: environment)
    builder.add(components, runtime: runtime)
    return builder.finish()
  }

  /// Reads texts as if they were files.
  package func load(texts: [(file: String, text: String)]) -> LoadedConfig {
    var builder = DescriptionBuilder(limits: limits, environment: environment)
    for (file, text) in texts { builder.add(YAMLParser.parse(Array(text.utf8), file: file, limits: limits), file: file) }
    return builder.finish()
  }
}
