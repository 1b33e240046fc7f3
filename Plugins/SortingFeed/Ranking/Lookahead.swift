/// How many updates before one of a large order each of its cache lines is asked for.
///
/// Each is found in the one before it, so that a step is about as long as a line is under way: eight updates, some hundred nanoseconds.
enum Lookahead {
  static var place: Int { 8 }
  static var record: Int { 16 }
  /// For whoever has to look entries up.
  static var entry: Int { 24 }
}
