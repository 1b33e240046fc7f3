/// The fields that tell a browser what a response may do. A response that has one of them already keeps it.
enum SecurityHeaders {
  /// For pages of this server: scripts, styles and connections only from itself, nothing inline, in nobody's frame.
  static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; "
    + "form-action 'none'; frame-ancestors 'none'"

  private static let all = [
    ("content-security-policy", policy),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    // What a person sees does not stay in a cache, where the next one could find it.
    ("cache-control", "no-store"),
  ]

  /// - Parameter isStrict: true if the server is to be reached by TLS only, from now on.
  static func add(to fields: inout WebFields, isStrict: Bool) {
    for (name, value) in all where fields[name] == nil { fields.add(name, value) }
    if isStrict { fields.set("strict-transport-security", "max-age=31536000") }
  }
}
