import Glibc
import StockbusTables

/// Measures the columns of a trade: symbol, price, size, side, condition, decimals of price and size, time, receipt.
enum Bench {
  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }

  static func schema() throws -> TableSchema {
    try TableSchema([
      TableColumn("symbol", .text), TableColumn("price", .price), TableColumn("size", .price), TableColumn("side", .text),
      TableColumn("condition", .text), TableColumn("price_decimals", .integer), TableColumn("size_decimals", .integer),
      TableColumn("time", .timestamp), TableColumn("received", .timestamp),
    ])
  }

  private struct Trade {
    var symbol, price, size, side, condition, priceDecimals, sizeDecimals, time, received: Int64
  }

  /// Trades of 500 symbols that walk; times in milliseconds, receipts in nanoseconds.
  private static func trades(_ count: Int) -> [Trade] {
    var made = MadeUp(seed: 1)
    var prices = (0..<500).map { _ in 2_000 + made.below(48_000) }
    var time: Int64 = 1_720_000_000_000
    return (0..<count).map { _ in
      // A few symbols trade most.
      let symbol = min(made.below(500), made.below(500), made.below(500))
      prices[Int(symbol)] += made.below(5) - 2
      if made.below(4) == 0 { time += made.below(8) }
      let size = made.below(3) == 0 ? (made.below(10) + 1) * 100 * 1_000_000_000 : (made.below(500) + 1) * 1_000_000_000
      return Trade(
        symbol: symbol, price: prices[Int(symbol)] * 10_000_000, size: size, side: made.below(2), condition: made.below(50) == 0 ? 1 : 0,
        priceDecimals: 2, sizeDecimals: 0, time: time * 1_000_000, received: time * 1_000_000 + 1_500_000 + made.below(900_000))
    }
  }

  static func run(rows: Int, folder: String) throws {
    let trades = trades(rows)
    let schema = try schema()
    let batch = TableBatch(schema, capacity: 4096)
    for symbol in 0..<500 { _ = batch.dictionary(0).number(of: "S\(symbol)") }
    for side in ["buy", "sell"] { _ = batch.dictionary(3).number(of: side) }
    for condition in ["regular", "odd_lot"] { _ = batch.dictionary(4).number(of: condition) }

    func pass(_ name: String, _ write: (TableBatch) throws -> Void, finish: () throws -> Void) throws {
      let begin = now()
      for trade in trades {
        batch.set(0, trade.symbol)
        batch.set(1, trade.price)
        batch.set(2, trade.size)
        batch.set(3, trade.side)
        batch.set(4, trade.condition)
        batch.set(5, trade.priceDecimals)
        batch.set(6, trade.sizeDecimals)
        batch.set(7, trade.time)
        batch.set(8, trade.received)
        batch.endRow()
        if batch.isFull {
          try write(batch)
          batch.removeAll()
        }
      }
      if batch.rows > 0 { try write(batch) }
      batch.removeAll()
      try finish()
      print("\(name): \(((now() - begin) / Double(rows) * 10).rounded() / 10) ns a row")
    }

    for _ in 0..<2 {
      try pass("append only", { _ in }, finish: {})
      var bytes = 0
      let counting: TableSink = { bytes += $0.count }
      let arrow = try ArrowWriter(schema, sink: counting)
      try pass("append + Arrow", arrow.write, finish: arrow.finish)
      print("  \(bytes / rows) bytes a row")
      for (name, compression) in [
        ("zstd 1", TableCompression.zstd(level: 1)), ("zstd 3", .zstd(level: 3)), ("gzip 1", .gzip(level: 1)), ("none", .none),
      ] {
        bytes = 0
        var options = ParquetWriter.Options()
        options.compression = compression
        let parquet = try ParquetWriter(schema, options: options, sink: counting)
        try pass("append + Parquet \(name)", parquet.write, finish: parquet.finish)
        print("  \((Double(bytes) / Double(rows) * 100).rounded() / 100) bytes a row")
      }
      bytes = 0
      let (a, p) = (try ArrowWriter(schema, sink: counting), try ParquetWriter(schema, sink: counting))
      try pass(
        "append + Arrow + Parquet",
        {
          try a.write($0)
          try p.write($0)
        },
        finish: {
          try a.finish()
          try p.finish()
        })
    }

    let file = try OutputFile(folder + "/bench.parquet")
    let parquet = try ParquetWriter(schema, sink: file.write)
    try pass("Parquet file", parquet.write, finish: parquet.finish)
    file.close()
    let stream = try OutputFile(folder + "/bench.arrows")
    let arrow = try ArrowWriter(schema, sink: stream.write)
    try pass("Arrow file", arrow.write, finish: arrow.finish)
    stream.close()

    func timed(_ name: String, _ body: () throws -> Int) rethrows {
      let begin = now()
      let count = try body()
      let took = now() - begin
      print("\(name): \((took / Double(count) * 10).rounded() / 10) ns a row, \((Double(count) / took * 10_000).rounded() / 10) M/s")
    }
    let input = try InputFile(folder + "/bench.parquet")
    let source = try InputFile(folder + "/bench.arrows")
    for _ in 0..<2 {
      try timed("read Parquet") {
        let reader = try ParquetReader(input.source)
        var count = 0
        while let batch = try reader.next() { count += batch.rows }
        return count
      }
      try timed("read Arrow") {
        let reader = try ArrowReader(source.source)
        var count = 0
        while let batch = try reader.next() { count += batch.rows }
        return count
      }
      try timed("check Parquet") { try ParquetFile.check(input.source).rows }
      try timed("check Arrow") { try ArrowStream.check(source.source).rows }
      try timed("turn") { try ParquetFile.make(from: source.source, sink: { _ in }) }
    }
  }
}
