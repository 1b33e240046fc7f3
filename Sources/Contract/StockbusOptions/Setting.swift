/// One option of a plugin: description, type, default and limits, declared in one place.
///
/// ```swift
/// @Setting("How often new prices appear.", in: .milliseconds(1) ... .seconds(3600)) var interval = Duration.seconds(2)
/// @Setting("The file to read.") var path: String       // no default: required
/// @Setting("Where to post, if anywhere.") var url: String?
/// @Setting("What to show.", count: 1...100) var symbols: [Symbol]
/// ```
///
/// A range applies to each item of a list; `count:` limits the number of items, `length:` the characters of a text. The option's name in a
/// configuration is the property's name in snake_case.
@propertyWrapper
public struct Setting<Value: OptionValue>: Sendable {
  @usableFromInline var value: Value?
  let sentence: String
  let limits: OptionLimits<Value.OptionLeaf>

  /// Traps if it is read before decoding and has no default, which is an error of the program, not of its user.
  public var wrappedValue: Value {
    // Inlinable, because plugins read their settings for every event.
    @inlinable get {
      if let value { return value }
      failUnread()
    }
    @inlinable set { value = newValue }
  }

  @usableFromInline func failUnread() -> Never {
    preconditionFailure("a required option was read before it was decoded: \(sentence)")
  }

  private init(_ value: Value?, _ sentence: String, _ limits: OptionLimits<Value.OptionLeaf>) {
    self.value = value ?? Value.optionIfAbsent
    self.sentence = sentence
    self.limits = limits
  }
}

// A setting with a default.
extension Setting {
  public init(wrappedValue: Value, _ sentence: String) {
    self.init(wrappedValue, sentence, OptionLimits())
  }

  public init(wrappedValue: Value, _ sentence: String, in range: some OptionRange<Value.OptionLeaf>)
  where Value.OptionLeaf: Comparable {
    self.init(wrappedValue, sentence, OptionLimits(LeafLimit(in: range)))
  }

  public init(wrappedValue: Value, _ sentence: String, length: some OptionRange<Int>) where Value.OptionLeaf == String {
    self.init(wrappedValue, sentence, OptionLimits(LeafLimit(length: length)))
  }

  public init(wrappedValue: Value, _ sentence: String, count: some OptionRange<Int>) where Value: CountedOption {
    self.init(wrappedValue, sentence, OptionLimits(count: CountLimit(count)))
  }

  public init(
    wrappedValue: Value, _ sentence: String, in range: some OptionRange<Value.OptionLeaf>, count: some OptionRange<Int>
  ) where Value: CountedOption, Value.OptionLeaf: Comparable {
    self.init(wrappedValue, sentence, OptionLimits(LeafLimit(in: range), count: CountLimit(count)))
  }
}

// A required setting, unless the type is optional.
extension Setting {
  public init(_ sentence: String) {
    self.init(nil, sentence, OptionLimits())
  }

  public init(_ sentence: String, in range: some OptionRange<Value.OptionLeaf>) where Value.OptionLeaf: Comparable {
    self.init(nil, sentence, OptionLimits(LeafLimit(in: range)))
  }

  public init(_ sentence: String, length: some OptionRange<Int>) where Value.OptionLeaf == String {
    self.init(nil, sentence, OptionLimits(LeafLimit(length: length)))
  }

  public init(_ sentence: String, count: some OptionRange<Int>) where Value: CountedOption {
    self.init(nil, sentence, OptionLimits(count: CountLimit(count)))
  }

  public init(_ sentence: String, in range: some OptionRange<Value.OptionLeaf>, count: some OptionRange<Int>)
  where Value: CountedOption, Value.OptionLeaf: Comparable {
    self.init(nil, sentence, OptionLimits(LeafLimit(in: range), count: CountLimit(count)))
  }
}

extension Setting: Equatable where Value: Equatable {
  /// Settings are equal if their values are.
  public static func == (a: Setting, b: Setting) -> Bool { a.value == b.value }
}

extension Setting: CustomStringConvertible, CustomDebugStringConvertible {
  public var description: String { value?.optionText ?? "required" }
  public var debugDescription: String { description }
}

extension Setting: Decodable {
  /// Always throws, because settings are only decoded as part of `Options`.
  public init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "a setting is decoded by its Options only"))
  }
}
