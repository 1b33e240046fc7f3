/// A text that must not be shown: printing it prints `***`.
public struct Secret: Hashable, Sendable {
  /// The text itself; never put it into a log, a message or an event.
  public let revealed: String

  public init(_ text: String) { revealed = text }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "***" }
  public var debugDescription: String { "***" }
  /// No children, so that `dump` shows nothing either.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension Secret: ScalarOption {
  public init(option text: String) throws(OptionTextError) { self.init(text) }
  public static var optionType: OptionType { OptionType("secret", plural: "secrets", phrase: "a secret text") }
  public static var optionSample: String { "***" }
  public static var optionSchema: JSONValue { ["type": ["string", "number", "boolean"], "writeOnly": true] }
  public static var optionIsSecret: Bool { true }
  public var optionText: String { "***" }
}
