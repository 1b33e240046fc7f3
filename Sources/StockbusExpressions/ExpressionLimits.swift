/// What an expression may be at most: whatever somebody sends, compiling it takes little time, stack and memory.
public enum ExpressionLimits {
  /// Bytes of UTF-8.
  public static let length = 4096
  /// Bytes of one word without quotation marks.
  public static let word = 256
  /// How deep it may be nested, as its tree is high: parentheses, operators in a row, arguments.
  public static let depth = 64
  /// Items of one list.
  public static let items = 256
}
