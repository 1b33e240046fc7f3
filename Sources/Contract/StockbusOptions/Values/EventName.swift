public import EventBus

/// The name of an event type that a plugin's components emit, for the option with which a generic source is declared: see
/// `Plugin.init(_:_:_:emitting:hot:)`. Whether there is such a type is checked when a configuration is.
public struct EventName: ScalarOption, Hashable {
  public let name: String

  public init<E: Event>(_: E.Type) { name = E.eventName }

  public init(option text: String) throws(OptionTextError) { name = text }

  public static var optionType: OptionType { OptionType("event type", plural: "event types", phrase: "an event type such as trade") }
  public static var optionSample: String { "trade" }
  public static var optionSchema: JSONValue { OptionSchema.text("[a-z][a-z0-9_]*") }
  public var optionText: String { OptionText.scalar(name) }
  public var optionJSON: JSONValue { .string(name) }
}
