/// A component that others of the run can ask while it runs, through doors.
///
/// A door is a protocol with typed requests and replies, declared where the asking component can import it. Text commands, if there are any,
/// parse their words and call the same functions.
///
/// ```swift
/// public protocol PriceBoard: Sendable {
///   func price(of symbol: Symbol) async throws(CommandError) -> Price
/// }
///
/// extension Board: OfferingComponent, PriceBoard {
///   public static var doors: [ComponentDoor<Board>] { [ComponentDoor((any PriceBoard).self) { $0 }] }
/// }
/// ```
public protocol OfferingComponent: Component {
  /// One door of each type that it offers.
  static var doors: [ComponentDoor<Self>] { get }
}

/// A door of a component of type `Owner`.
public struct ComponentDoor<Owner: Component>: Sendable {
  let id: DoorID
  let open: @Sendable (Owner) -> any Sendable

  /// - Parameters:
  ///   - door: the type by which the door is looked up, usually a protocol: `(any PriceBoard).self`.
  ///   - open: what an instance offers; in most cases the instance itself. Called for each request, also while the instance works.
  public init<Offer: Sendable>(_ door: Offer.Type, _ open: @escaping @Sendable (Owner) -> Offer) {
    id = DoorID(door)
    self.open = open
  }
}

/// The type of a door.
package struct DoorID: Sendable, Hashable, CustomStringConvertible {
  private let type: ObjectIdentifier
  package let description: String

  package init<Offer>(_ door: Offer.Type) {
    type = ObjectIdentifier(door)
    description = "\(door)"
  }
}

extension OfferingComponent {
  static var doorIDs: [DoorID] { doors.map(\.id) }

  /// What this instance offers; nil if it has no such door.
  nonisolated func offer(_ door: DoorID) -> (any Sendable)? { Self.doors.first { $0.id == door }?.open(self) }
}

extension RunComponent {
  /// True if it offers a door of this type.
  package func offers<Offer: Sendable>(_ door: Offer.Type) -> Bool { doors.contains(DoorID(door)) }
}

extension RunView {
  /// The components that offer a door of this type, upstream first, also those that do not run at present.
  public func components<Offer: Sendable>(offering door: Offer.Type) -> [RunComponent] {
    components.filter { $0.offers(door) }
  }
}
