internal import FileReplay
internal import StockbusFiles
internal import StockbusConfig
internal import StockbusHistory
internal import StockbusPlugin
internal import StockbusProgram

extension PastReader {
  /// Reads the file that a `history` sink writes.
  static let history = PastReader(fault: HistoryReader.faultOfReading, archive: bars) { past, limit throws(PastFault) in
    do throws(HistoryError) {
      let reader = try HistoryReader(past.path)
      let (known, symbols) = try reader.past(limit: limit) { error in
        Console.log("history: \(error); symbols that appear for the first time begin without a previous close")
      }
      if symbols > limit {
        StandardError.write(
          "\(past.mark.place): warning: 'history': \(past.shownPath) has \(symbols) symbols; only the first \(limit) are known ('symbols_per_source' in 'runtime' sets the limit)"
        )
      }
      return known
    } catch {
      // The first run of a configuration writes the file that the next one reads.
      if past.writer != nil, error.isWritableLater { return PastPrices(path: past.path) }
      throw PastFault(predicate: error.predicate)
    }
  }

  private static let bars = BarArchive { path, choice, intake throws(PastFault) in
    let reader = try told { () throws(HistoryError) in try HistoryReader(path) }
    if let length = choice.length {
      let lengths = try told { () throws(HistoryError) in try reader.lengths() }
      if !lengths.isEmpty, !lengths.contains(length) {
        throw PastFault(
          predicate: "has no bars of \(length); there are bars of \(listed(lengths.map { $0 == .unknown ? "unknown length" : "\($0)" }))")
      }
    }
    let replay = Guarded(try told { () throws(HistoryError) in try HistoryReplay(reader, choice, intake) })
    return { () throws(PastFault) in
      try told { () throws(HistoryError) in
        try replay.withLock { replay in Result { () throws(HistoryError) in try replay.next() } }.get()
      }
    }
  }

  private static func told<Value>(_ body: () throws(HistoryError) -> Value) throws(PastFault) -> Value {
    do throws(HistoryError) { return try body() } catch { throw PastFault(predicate: error.predicate) }
  }
}

extension FileGuess {
  /// Looks at a file of rows, or at a history. A source rarely sends bars of several lengths: those of a history are mostly made of the
  /// shortest.
  static func look(at path: String) -> FileGuess {
    guard let lengths = try? HistoryReader(path).lengths() else { return FileGuess(path: path) }
    var guess = FileGuess(options: [Option(name: "event", value: "bar")])
    if lengths.count > 1 {
      let choices = (lengths.filter { $0.raw > 0 } + lengths.filter { $0.raw < 0 }).map(\.description)
      guess.options.append(Option(name: "length", value: choices[0]))
      guess.questions = [Question(option: "length", text: "Which of its bars does the source send?", choices: choices)]
    }
    return guess
  }
}

extension HistoryError {
  /// True if a run that writes the file makes it readable: the file is missing, or has an older layout.
  fileprivate var isWritableLater: Bool {
    switch reason {
    case .missing, .older: true
    default: false
    }
  }
}
