internal import LibC

/// The path in a form that means the same file in any working folder.
package func absolutePath(_ path: String) -> String {
  if path.hasPrefix("/") { return path }
  guard let folder = getcwd(nil, 0) else { return path }
  defer { free(folder) }
  return String(cString: folder) + "/" + path
}
