internal import MarketData

/// A file that a component reads or writes, as its options name it. A configuration is checked against these before anything starts, and
/// outputs are compared with them when they are opened.
public struct FileUse: Sendable, Hashable {
  public enum Access: Sendable, Hashable {
    /// The file is read. A plain file must exist before anything starts.
    case read
    /// The file is written; nothing else may read or write it. `keeping` full files stay beside it, as `PATH.1` and so on.
    case write(keeping: Int)
    /// The file is read, and replaced as a whole from time to time; other components may do the same.
    case keep
    /// The file is a program to be run, found as a shell would find it. One that is not `needed` may come later: its lack is a warning.
    case run(needed: Bool)
  }

  /// The path as written.
  public let path: String
  public let access: Access
  /// True if the path is `-` and means standard input or output.
  public let isStandardStream: Bool
  /// True if the run itself may read the file while it is written.
  package private(set) var mayBeRead = false
  package private(set) var isDatabase = false
  private(set) var place: OptionPlace

  private init(_ path: String, _ access: Access, _ place: OptionPlace, takesStream: Bool = true) {
    self.path = path
    self.access = access
    self.place = place
    isStandardStream = takesStream && path == "-"
  }

  /// A file that is read; named by `option`, or by item `item` of that option's list. `-` is standard input, unless `takesStream` is false:
  /// then it is a file of that name.
  public static func reading(_ path: String, at option: String, item: Int? = nil, takesStream: Bool = true) -> FileUse {
    FileUse(path, .read, OptionPlace(option, item: item), takesStream: takesStream)
  }

  /// A file that is written.
  public static func writing(_ path: String, at option: String, keeping: Int = 0) -> FileUse {
    FileUse(path, .write(keeping: keeping), OptionPlace(option))
  }

  /// A database that is written.
  ///
  /// - Parameter mayBeRead: whether the run itself may read it meanwhile (`history` of a configuration).
  package static func writing(database path: String, at option: String, mayBeRead: Bool) -> FileUse {
    var use = FileUse(path, .write(keeping: 0), OptionPlace(option), takesStream: false)
    (use.isDatabase, use.mayBeRead) = (true, mayBeRead)
    return use
  }

  /// A file that keeps a component's state.
  public static func keeping(_ path: String, at option: String) -> FileUse {
    FileUse(path, .keep, OptionPlace(option))
  }

  /// A program that is run: a path, or a name that is searched along `PATH`.
  public static func running(_ program: String, at option: String, item: Int? = nil, needed: Bool = true) -> FileUse {
    FileUse(program, .run(needed: needed), OptionPlace(option, item: item), takesStream: false)
  }

  /// True for a program.
  package var isRun: Bool { if case .run = access { true } else { false } }

  /// The same file as seen from the enclosing options, in which the naming options are `option`, or item `item` of that option's list,
  /// under the key `choice` if that is given.
  public func inside(_ option: String, item: Int? = nil, choice: String? = nil) -> FileUse {
    var copy = self
    copy.place = place.inside(option, item: item, choice: choice)
    return copy
  }

  /// The option as messages name it: `channels[1].file.path`.
  public var option: String { place.description }
}

/// A file with the place in a configuration where it is named.
package struct PlacedFile: Sendable, Hashable {
  package let use: FileUse
  package let mark: ConfigNode.Mark
  /// The path as messages show it: between quotation marks, or as the name of the variable from which it came.
  package let shownPath: String
  /// True if the path came from a variable, so that no part of it may be shown.
  package let isFromVariable: Bool

  private init(_ use: FileUse, _ node: ConfigNode?, _ mark: ConfigNode.Mark) {
    self.use = use
    let place = use.place.find(in: node, else: mark)
    self.mark = place.mark
    isFromVariable = place.node?.variables.isEmpty == false
    shownPath = isFromVariable ? place.node?.shownText ?? "" : shown(use.path)
  }

  package static func of(_ files: [FileUse], _ node: ConfigNode?, _ mark: ConfigNode.Mark) -> [PlacedFile] {
    files.map { PlacedFile($0, node, mark) }
  }
}
