internal import LibC

/// The environment variables of this process.
package enum ProcessEnvironment {
  package static var variables: [String: String] {
    var variables: [String: String] = [:]
    var next = environ
    while let variable = next.pointee {
      let parts = String(cString: variable).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
      next += 1
    }
    return variables
  }
}
