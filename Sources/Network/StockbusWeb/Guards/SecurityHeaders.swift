/// The fields that limit for a browser what a response may do. A field that a response already has stays unchanged.
enum SecurityHeaders {
  /// The policy for pages of this server: scripts, styles and connections only from this server, none inline, and no display in frames.
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
    // A page with a user's data must not stay in a cache, where the next user could find it.
    ("cache-control", "no-store"),
  ]

  /// - Parameter isStrict: true if browsers may use only TLS for this server from now on.
  static func add(to fields: inout WebFields, isStrict: Bool) {
    for (name, value) in all where fields[name] == nil { fields.add(name, value) }
    if isStrict { fields.set("strict-transport-security", "max-age=31536000") }
  }
}
