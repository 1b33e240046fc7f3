/// Combines the lines in which Python reports an exception into one: `cheap.py:12: KeyError: 'price'`.
struct PythonError {
  /// The most lines of one traceback.
  private static let limit = 200
  private static let links = [
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
  ]

  /// The lines so far; 0 outside of a traceback.
  private var count = 0
  private var place: String?
  private var isOwnPlace = false

  /// The text to show for a line of standard error: the line itself, the error with its place, or nothing for the rest of a traceback.
  mutating func take(_ line: String) -> String? {
    let frame = Self.frame(line)
    if count == 0 {
      // A syntax error has no other head than its place.
      guard line == "Traceback (most recent call last):" || frame != nil else { return Self.links.contains(line) ? nil : line }
      (place, isOwnPlace) = (nil, false)
    }
    count += 1
    if let (file, place) = frame {
      let isOwn = Self.isOwn(file)
      if isOwn || !isOwnPlace { (self.place, isOwnPlace) = (place, isOwn) }
    }
    if count < Self.limit, count == 1 || line.isEmpty || line.hasPrefix(" ") { return nil }
    count = 0
    return place.map { "\($0): \(line)" } ?? line
  }

  /// The file of `  File "/desk/cheap.py", line 12, in process`, and where in it.
  private static func frame(_ line: String) -> (file: String, place: String)? {
    let head = "  File \""
    guard line.hasPrefix(head) else { return nil }
    let rest = line.dropFirst(head.count)
    let tail = "\", line "
    guard let end = rest.firstIndex(of: "\""), rest[end...].hasPrefix(tail) else { return nil }
    let number = rest[end...].dropFirst(tail.count).prefix { $0.isNumber }
    let file = String(rest[..<end])
    guard !number.isEmpty, let name = file.split(separator: "/").last else { return nil }
    return (file, "\(name):\(number)")
  }

  /// False for Python's own files, and for the helper of plugins.
  private static func isOwn(_ file: String) -> Bool {
    !file.hasPrefix("<") && !file.contains("/lib/python") && !file.hasSuffix("stockbus_plugin.py")
  }
}
