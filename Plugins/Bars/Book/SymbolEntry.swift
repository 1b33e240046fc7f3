/// The entry of a symbol's handle. It has number and bar together, so that one look-up leads from a trade to its bar.
struct SymbolEntry: BitwiseCopyable {
  /// The symbol's number; 0 if the symbol has not arrived.
  var number: UInt32 = 0
  /// The symbol's newest bar of the first length; 0 if there is none.
  var newestCell: UInt32 = 0
}
