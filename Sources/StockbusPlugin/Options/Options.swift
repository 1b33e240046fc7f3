public protocol Options: Sendable { init(); static func decode(_ node: ConfigNode?, at mark: ConfigNode.Mark) throws(Problems) -> Self; static func describe() -> [OptionInfo] }
public struct OptionInfo: Sendable { public let name: String }
public struct NoOptions: Options { public init() {}; public static func decode(_ node: ConfigNode?, at mark: ConfigNode.Mark) throws(Problems) -> Self { Self() }; public static func describe() -> [OptionInfo] { [] } }
