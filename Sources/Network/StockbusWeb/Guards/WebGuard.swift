/// A condition that the requests of a route have to meet. Guards see a request before its route does.
package struct WebGuard: Sendable {
  /// The reason and the response if the condition is not met.
  let check: @Sendable (WebRequest) -> (WebRefusal, WebResponse)?

  /// Requires that a request with a change comes from the page's own scripts, or carries a token, which no other site can add.
  ///
  /// Browsers send the origin of a request in `Sec-Fetch-Site` and in `Origin`; both must agree, and at least one must be present
  /// (cross-site request forgery).
  package static let ownPage = WebGuard { request in
    if request.bearer != nil { return nil }
    let (site, origin) = (request.fields.all("sec-fetch-site"), request.fields.all("origin"))
    let isOwn =
      site.allSatisfy { $0 == "same-origin" } && origin.allSatisfy { $0 == request.client.origin } && !(site.isEmpty && origin.isEmpty)
    return isOwn ? nil : foreign
  }

  /// Requires that no other site reads this through a browser. Clients other than browsers do not send a site, and are admitted.
  package static let noForeignSite = WebGuard { request in
    let site = request.fields.all("sec-fetch-site")
    let origin = request.fields.all("origin")
    let isOwn = site.allSatisfy { $0 == "same-origin" || $0 == "none" } && origin.allSatisfy { $0 == request.client.origin }
    return isOwn || request.bearer != nil ? nil : foreign
  }

  /// Requires that `Origin` is present and is the page's own: browsers allow other sites to open WebSockets.
  package static let ownOrigin = WebGuard { request in
    request.fields.all("origin") == [request.client.origin] ? nil : foreign
  }

  /// Requires that a body is JSON: forms of other sites cannot send this type.
  package static let json = WebGuard { request in
    let type = (request.fields["content-type"] ?? "").prefix { $0 != ";" }.trimmingBlanks.lowercased()
    if type == "application/json" || type.isEmpty && request.body.isEmpty { return nil }
    return (.type, .error(415, "content_type", "the body must be application/json"))
  }

  private static let foreign = (
    WebRefusal.origin, WebResponse.error(403, "foreign_origin", "requests from other sites are refused")
  )

  /// A guard with a condition of the caller's.
  package init(_ check: @escaping @Sendable (WebRequest) -> (WebRefusal, WebResponse)?) { self.check = check }
}
