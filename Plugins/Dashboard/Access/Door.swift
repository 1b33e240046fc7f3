internal import StockbusPeople
internal import StockbusPlugin
internal import StockbusWeb

/// The user of a connection, and the paper accounts that this user sees.
struct Viewer: Hashable, Sendable {
  /// The paper account with the person's name; nil if the viewer sees all accounts.
  let account: Symbol?
  let person: Person
  let scopes: Set<Scope>

  /// - Parameter owner: the owner of a rule; nil for everybody's.
  func sees(rulesOf owner: String?) -> Bool { owner == nil || account == nil || owner == person.name }

  /// The problems of a run as the viewer may know them: reasons may name files and hosts, which are for those who control the run.
  func problems(_ all: [String]) -> [String] {
    all.isEmpty || scopes.contains(.control) ? all : ["the run does not work as intended; who operates it sees why"]
  }

  /// Everybody, where there are no accounts.
  static let local = Viewer(Person.local, hasAccounts: false)

  init(_ identity: Identity, hasAccounts: Bool) { self.init(identity.person, may: identity.scopes, hasAccounts: hasAccounts) }

  /// - Parameter scopes: the present rights of the connection; nil for all rights of the person.
  init(_ person: Person, may scopes: Set<Scope>? = nil, hasAccounts: Bool) {
    account = hasAccounts ? try? Symbol(person.name) : nil
    self.person = person
    self.scopes = scopes ?? person.scopes
  }
}

/// Decides who may do what. Every route that shows or changes something is behind it.
struct Door: Sendable {
  /// Nil if there are no accounts; then everybody is the local user.
  let gate: Gate?

  var hasAccounts: Bool { gate?.needsLogin ?? false }

  /// A handler that is called only for a user who may do `scope`.
  func behind(_ scope: Scope, _ handler: @escaping @Sendable (WebRequest, Viewer) async -> WebResponse) -> WebRoutes.Handler {
    guard let gate else { return { await handler($0, .local) } }
    let hasAccounts = hasAccounts
    return gate.behind(scope) { request, identity in await handler(request, Viewer(identity, hasAccounts: hasAccounts)) }
  }

  /// The user of a request; nil if there is none, or not any more. Checked again from time to time as long as a socket is open.
  func viewer(_ request: WebRequest) async -> Viewer? {
    guard let gate else { return .local }
    guard let identity = try? await gate.identity(request), identity.scopes.contains(.read) else { return nil }
    return Viewer(identity, hasAccounts: hasAccounts)
  }

  /// Why a socket is refused; nil if it may be opened.
  func refusal(_ request: WebRequest) async -> WebResponse? {
    let response = await behind(.read) { _, _ in .done }(request)
    return response.status == WebResponse.done.status ? nil : response
  }
}
