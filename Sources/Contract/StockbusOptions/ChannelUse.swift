/// Options of a component through which events leave or enter the run by an outside channel that keeps or passes them on, such as a stream
/// of a server.
///
/// Configurations that are given together are checked against these channels and drawn with them. No outside system is contacted.
package protocol ChannelOptions: Options {
  /// The channels that the component uses. No I/O.
  var channels: [ChannelUse] { get }
}

/// The use of one channel according to a component's options.
package struct ChannelUse: Sendable {
  package enum Direction: Sendable { case writes, reads }

  package struct Role: Sendable, Hashable {
    package let name: String
    package let advice: String

    package init(_ name: String, advice: String) { (self.name, self.advice) = (name, advice) }
  }

  package let direction: Direction
  /// The kind of channel, in the words of a message: `NATS stream`.
  package let kind: String
  /// The channel's name in the outside system.
  package let name: String
  /// Addresses at which the channel can be reached. Two uses of one kind are of one channel if their names match and an address is common.
  package let addresses: Set<String>
  /// Whether two names mean channels with common events; by default if they are equal.
  private let matches: @Sendable (String, String) -> Bool
  /// A role that one component at a time may have, such as `the writer`, with the option that allows more; nil if there may be many.
  package let role: Role?
  /// The parts of the channel that are written or read, such as the subjects of a stream; nil for all parts, or if they are not known.
  package let parts: [String]?
  /// The option that names the channel.
  package let place: OptionPlace
  /// The option that selects the parts.
  package let partsPlace: OptionPlace
  /// The option that gives the event type that is read.
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

  /// True if both uses are of one channel.
  package func isOfSame(_ other: ChannelUse) -> Bool { hasSameName(as: other) && !addresses.isDisjoint(with: other.addresses) }

  /// True if both uses are of one channel, unless their addresses belong to different servers.
  package func hasSameName(as other: ChannelUse) -> Bool { kind == other.kind && matches(name, other.name) }
}
