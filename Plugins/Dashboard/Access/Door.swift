internal import MarketData
internal import StockbusAccountRoutes
internal import StockbusAccounts
internal import StockbusPlugin
internal import StockbusWeb

/// Who looks, and whose paper accounts it sees.
struct Viewer: Hashable, Sendable {
  /// The paper account of the person's name; nil if it sees all of them.
  let account: Symbol?
  let person: Person
  let scopes: Set<Scope>

  /// - Parameter owner: of a rule; nil for everybody's.
  func sees(rulesOf owner: String?) -> Bool { owner == nil || account == nil || owner == person.name }

  /// Everybody, where there are no accounts.
  static let local = Viewer(Person.local, hasAccounts: false)

  init(_ identity: Identity, hasAccounts: Bool) { self.init(identity.person, may: identity.scopes, hasAccounts: hasAccounts) }

  /// - Parameter scopes: what it may do at the moment; all that the person may if nil.
  init(_ person: Person, may scopes: Set<Scope>? = nil, hasAccounts: Bool) {
    account = hasAccounts ? try? Symbol(person.name) : nil
    self.person = person
    self.scopes = scopes ?? person.scopes
  }
}

/// Decides who may do what. Every route that shows or changes something stands behind it.
struct Door: Sendable {
  /// Nil if nothing is kept of people; then everybody is the local user.
  let gate: Gate?

  var hasAccounts: Bool { gate?.needsLogin ?? false }

  /// A handler that is called only for somebody who may do `scope`.
  func behind(_ scope: Scope, _ handler: @escaping @Sendable (WebRequest, Viewer) async -> WebResponse) -> WebRoutes.Handler {
    guard let gate else { return { await handler($0, .local) } }
    let hasAccounts = hasAccounts
    return gate.behind(scope) { request, identity in await handler(request, Viewer(identity, hasAccounts: hasAccounts)) }
  }

  /// Who asks; nil if it is nobody, or somebody no longer. Asked again from time to time for as long as a socket is open.
  func viewer(_ request: WebRequest) async -> Viewer? {
    guard let gate else { return .local }
    guard let identity = try? await gate.identity(request), identity.scopes.contains(.read) else { return nil }
    return Viewer(identity, hasAccounts: hasAccounts)
  }

  /// Why a socket is not opened; nil if it is.
  func refusal(_ request: WebRequest) async -> WebResponse? {
    let response = await behind(.read) { _, _ in .done }(request)
    return response.status == WebResponse.done.status ? nil : response
  }
}
