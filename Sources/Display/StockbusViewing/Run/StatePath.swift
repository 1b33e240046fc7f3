internal import LibC

/// The usual path of a viewer's file, if the configuration names none: `stockbus/NAME` in the state folder of the XDG Base Directory
/// Specification; nil if there is no home folder.
package func usualStatePath(_ name: String) -> String? {
  func folder(_ variable: String) -> String? { getenv(variable).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil } }
  let state = folder("XDG_STATE_HOME") ?? folder("HOME").map { $0 + "/.local/state" }
  return state.map { "\($0)/stockbus/\(name)" }
}
