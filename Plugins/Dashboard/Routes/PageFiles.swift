internal import CDashboardPage
internal import StockbusWeb

/// The page: files that are compiled into the program.
enum PageFiles {
  static let all: [String: WebFile] = {
    let files = UnsafeBufferPointer(start: dashboard_files(), count: dashboard_file_count())
    return Dictionary(
      uniqueKeysWithValues: files.map { file in
        let name = String(cString: file.name)
        return (name, WebFile(Array(UnsafeBufferPointer(start: file.bytes, count: file.length)), type: WebFile.type(of: name)))
      })
  }()

  /// Paths of the page itself: its script reads the rest of the path.
  static let places = [
    "/", "/symbol/:symbol", "/watchlists", "/watchlists/:name", "/movers", "/crypto", "/portfolio", "/alerts", "/graph", "/settings",
    "/account", "/login", "/signup",
  ]

  static func add(to routes: inout WebRoutes) {
    for (name, file) in all where name != "index.html" { routes.file("/page/\(name)", file) }
    if let icon = all["icon.svg"] {
      routes.file("/icon.svg", icon)
      routes.file("/favicon.ico", icon)
    }
    if let index = all["index.html"] { for place in places { routes.file(place, index) } }
  }
}
