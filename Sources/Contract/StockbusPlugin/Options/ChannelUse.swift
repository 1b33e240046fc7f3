/// Options of a component through which events leave the run, or come into it, by something outside that keeps or passes them on, such as a
/// stream of a server.
///
/// Configurations that are given together are checked against these, and drawn with them. Nothing is asked of the outside.
package protocol ChannelOptions: Options {
  /// No I/O.
  var channels: [ChannelUse] { get }
}

/// What a component's options say of a channel.
package struct ChannelUse: Sendable {
  package enum Direction: Sendable { case writes, reads }

  package struct Role: Sendable, Hashable {
    package let name: String
    package let advice: String

    package init(_ name: String, advice: String) { (self.name, self.advice) = (name, advice) }
  }

  package let direction: Direction
  /// What it is, in the words of a message: `NATS stream`.
  package let kind: String
  /// Its name there.
  package let name: String
  /// Addresses at which it can be reached. Two uses are of the same channel if they are of one kind, their names match and an address is common.
  package let addresses: Set<String>
  /// Whether two names mean channels with events in common; by default if they are equal.
  private let matches: @Sendable (String, String) -> Bool
  /// What only one component at a time may be, such as `the writer`, with the option that would allow more; nil if there may be many.
  package let role: Role?
  /// The parts of it that are written or read, such as the subjects of a stream; nil for all of them, or if that is not known.
  package let parts: [String]?
  /// The option that names it.
  package let place: OptionPlace
  /// The option that says which parts.
  package let partsPlace: OptionPlace
  /// The option that says which type of event is read.
  package let typePlace: OptionPlace

  package init(
    _ direction: Direction, _ kind: String, _ name: String, addresses: Set<String>, parts: [String]?, at place: String,
    partsAt partsPlace: String, typeAt typePlace: String, role: Role? = nil,
    matches: @escaping @Sendable (String, String) -> Bool = { $0 == $1 }
  ) {
    self.direction = direction
    self.kind = kind
    self.name = name
    self.addresses = addresses
    self.parts = parts
    self.place = OptionPlace(place)
    self.partsPlace = OptionPlace(partsPlace)
    self.typePlace = OptionPlace(typePlace)
    self.role = role
    self.matches = matches
  }

  /// True if both are of one channel.
  package func isOfSame(_ other: ChannelUse) -> Bool { hasSameName(as: other) && !addresses.isDisjoint(with: other.addresses) }

  /// True if both are of one channel, unless their addresses are of different servers.
  package func hasSameName(as other: ChannelUse) -> Bool { kind == other.kind && matches(name, other.name) }
}
