/// What a symbol's handle leads to. Both are in one entry, so that one look-up leads from a trade to its bar.
struct SymbolEntry: BitwiseCopyable {
  /// The symbol's number; 0 if it has not come.
  var number: UInt32 = 0
  /// Its newest bar of the first length; 0 if there is none.
  var newestCell: UInt32 = 0
}
