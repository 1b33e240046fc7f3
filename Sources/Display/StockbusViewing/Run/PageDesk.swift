/// The door of a component that serves a page to browsers.
package protocol PageDesk: Sendable {
  /// The page's address; nil while it is not served.
  func pageAddress() async -> String?
}
