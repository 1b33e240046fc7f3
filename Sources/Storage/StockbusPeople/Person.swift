/// A permission of a person or a token.
package enum Scope: String, Sendable, Hashable, CaseIterable, Comparable {
  /// Read prices and the person's own data, and change the latter.
  case read
  /// Place, replace and cancel paper orders.
  case trade
  /// Send commands to components.
  case control

  package static func < (a: Scope, b: Scope) -> Bool { a.rawValue < b.rawValue }
}

extension Set<Scope> {
  /// `control,read,trade`.
  package var text: String { sorted().map(\.rawValue).joined(separator: ",") }

  /// Words that are no scopes are ignored.
  package init(text: String) { self = Set(text.split(separator: ",").compactMap { Scope(rawValue: String($0)) }) }
}

/// A user of a dashboard.
package struct Person: Sendable, Hashable {
  package let id: Int64
  package let name: String
  package let scopes: Set<Scope>

  /// The one user of a dashboard without accounts.
  package static let local = Person(id: 0, name: "local", scopes: Set(Scope.allCases))
}

/// The sender of a request, and how the sender was identified.
package struct Identity: Sendable, Hashable {
  package enum Proof: Sendable, Hashable {
    /// No log-in is required.
    case none
    case session(SessionID)
    case token(Int64)
  }

  package let person: Person
  /// The permissions of this request; a token has at most those of its person.
  package let scopes: Set<Scope>
  package let proof: Proof

  /// The identity of everybody where there are no accounts.
  package static let local = Identity(person: .local, scopes: Person.local.scopes, proof: .none)
}

/// A session, identified by the hash of its secret, which does not suffice to use the session.
package struct SessionID: Sendable, Hashable {
  let hash: [UInt8]
}

/// The account of a person as `stockbus account list` shows it. Times are nanoseconds since 1970.
package struct AccountSummary: Sendable, Hashable {
  package let name: String
  package let scopes: Set<Scope>
  package let created: Int64
  package let sessions: Int

  package init(name: String, scopes: Set<Scope>, created: Int64, sessions: Int) {
    self.name = name
    self.scopes = scopes
    self.created = created
    self.sessions = sessions
  }
}
