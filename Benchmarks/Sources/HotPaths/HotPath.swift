internal import AsOf
internal import Bars
internal import Derive
internal import FileReplay
internal import FileWriter
internal import Filter
internal import SortingFeed
internal import StockbusPlugin
internal import WatchlistFilter

/// One path of events, with everything prepared; `run` is measured and returns the number of events that went through.
struct HotPath {
  let run: () async throws -> Int

  init(_ name: String, events: Int, arguments: [String]) throws {
    switch name {
    case "ring": self = .ring(events, batch: 1)
    case "batch": self = .ring(events, batch: 64)
    case "spill": self = .spill(events)
    case "lossy": self = .lossy(events)
    case "filter": self = try .filter(events)
    case "where": self = try .condition(events)
    case "columns": self = try .columns(events)
    case "derive": self = try .derive(events)
    case "as_of": self = try .asOf(events)
    case "feed": self = try .feed(events, symbols: arguments.first.flatMap(Int.init) ?? 1000, jumps: arguments.last == "random")
    case "bars": self = try .bars(events)
    case "replay": self = try .replay(path: arguments.first ?? "")
    case "write": self = try .write(events, path: arguments.first ?? "")
    case "encode": self = try .encode(events)
    case "decode": self = try .decode(events)
    default: throw HotPathError("no path '\(name)'")
    }
  }

  private init(_ run: @escaping () async throws -> Int) { self.run = run }

  /// Publishes each event by itself, or in batches of this size, and reads them in batches.
  private static func ring(_ events: Int, batch: Int) -> HotPath {
    let topic = Topic<Trade>("ring")
    let inlet = topic.attach(Parker())
    return HotPath {
      var outlet = Outlet(topic)
      var seen = 0
      var sum: Int64 = 0
      while seen < events {
        let end = min(seen + 1024, events)
        if batch == 1 {
          for i in seen..<end { try await outlet.publish(Trade(number: i)) }
        } else {
          for start in stride(from: seen, to: end, by: batch) {
            outlet.send(min(batch, end - start)) { Trade(number: start + $0) }
            try await outlet.flush()
          }
        }
        while case let received = inlet.nextBatch(limit: 1024), received.count > 0 {
          inlet.begin(received.count)
          for trade in received { sum &+= trade.price.raw }
          seen += received.count
          inlet.finish(received.count)
        }
      }
      return sum == Int64(events) * Int64(events - 1) / 2 ? seen : -1
    }
  }

  /// Half of the events find no room in the ring, and wait beside it.
  private static func spill(_ events: Int) -> HotPath {
    let topic = Topic<Trade>("ring", capacity: 64)
    let inlet = topic.attach(Parker())
    return HotPath {
      var outlet = Outlet(topic)
      var (sent, seen, sum) = (0, 0, Int64(0))
      func read() {
        while case let received = inlet.nextBatch(limit: 1024), received.count > 0 {
          inlet.begin(received.count)
          for trade in received { sum &+= trade.price.raw }
          seen += received.count
          inlet.finish(received.count)
        }
      }
      while sent < events {
        for i in sent..<min(sent + 128, events) { outlet.send(Trade(number: i)) }
        sent = min(sent + 128, events)
        outlet.commit()
        read()
        try await outlet.flush()
        read()
      }
      return sum == Int64(events) * Int64(events - 1) / 2 ? seen : -1
    }
  }

  /// A reader that may miss events gets all of them.
  private static func lossy(_ events: Int) -> HotPath {
    let topic = Topic<Trade>("ring")
    let inlet = topic.attach(Parker(), options: SubscriptionOptions(overflow: .dropOldest, capacity: 1024))
    return HotPath {
      var outlet = Outlet(topic)
      var (seen, sum) = (0, Int64(0))
      while seen < events {
        for i in seen..<min(seen + 1024, events) { try await outlet.publish(Trade(number: i)) }
        while case let received = inlet.nextBatch(limit: 1024), received.count > 0 {
          inlet.begin(received.count)
          for trade in received { sum &+= trade.price.raw }
          seen += received.count
          inlet.finish(received.count)
        }
      }
      return sum == Int64(events) * Int64(events - 1) / 2 ? seen : -1
    }
  }

  /// 20 of 500 symbols pass.
  private static func filter(_ events: Int) throws -> HotPath {
    let symbols = try Workload.symbols(500)
    let names = stride(from: 0, to: 500, by: 25).map { symbols[$0].description }
    return try processor(
      .watchlistFilter, options: ["symbols": .list(names)], Workload.trades(events, symbols: symbols))
  }

  /// A condition without memory, of three comparisons; about half pass.
  private static func condition(_ events: Int) throws -> HotPath {
    let options: KeyValuePairs<String, ConfigNode.Value> = ["where": .scalar("price > 100 and size >= 100 and price * size < 50000")]
    return try processor(.filter, options: options, Workload.trades(events, symbols: Workload.symbols(500)))
  }

  /// All events pass, with eight columns.
  private static func columns(_ events: Int) throws -> HotPath {
    let symbols = try Workload.symbols(500)
    let layout = ColumnLayout((1...8).map { ColumnInfo("c\($0)", .number) })
    return try processor(
      .watchlistFilter, options: ["symbols": .list(symbols.map(\.description))], Workload.trades(events, symbols: symbols), columns: layout)
  }

  /// Three columns of plain arithmetic.
  private static func derive(_ events: Int) throws -> HotPath {
    let columns: KeyValuePairs<String, ConfigNode.Value> = [
      "value": .scalar("price * size"), "far": .scalar("price - 100"), "less": .scalar("price / 2"),
    ]
    return try processor(.derive, options: ["columns": .options(columns)], Workload.trades(events, symbols: Workload.symbols(500)))
  }

  /// Trades and quotes, received alternately.
  private static func asOf(_ events: Int) throws -> HotPath {
    let symbols = try Workload.symbols(500)
    var trades = Workload.trades(events / 2, symbols: symbols)
    for i in trades.indices { trades[i].received = Timestamp(ns: Int64(2 * i + 1)) }
    let quotes = trades.enumerated().map { i, trade in
      let received = Timestamp(ns: Int64(2 * i))
      return Quote(
        symbol: trade.symbol, bid: trade.price, ask: trade.price, bidSize: 1, askSize: 1, time: received, received: received)
    }
    let ((main, fillMain), (other, fillOther)) = (filled(trades), filled(quotes))
    let subject = try Subject(
      .asOf, options: ["within": .scalar("1s"), "columns": .list(["bid", "ask", "age"])], reading: [main, other])
    fillMain()
    fillOther()
    return HotPath {
      try await subject.live()
      return subject.done
    }
  }

  private static func feed(_ events: Int, symbols: Int, jumps: Bool) throws -> HotPath {
    try processor(.sortingFeed, options: [:], Workload.trades(events, symbols: Workload.symbols(symbols), jumps: jumps))
  }

  /// Bars of a minute, of some 13 trades each.
  private static func bars(_ events: Int) throws -> HotPath {
    var trades = Workload.trades(events, symbols: try Workload.symbols(1000))
    for i in trades.indices {
      trades[i].time = Timestamp(ns: 1_719_850_020_000_000_000 + Int64(i) * 4_687_500)
      trades[i].received = trades[i].time
    }
    return try processor(.bars, options: [:], trades)
  }

  private static func processor(
    _ plugin: Plugin, options: KeyValuePairs<String, ConfigNode.Value>, _ trades: [Trade], columns: ColumnLayout = ColumnLayout()
  ) throws -> HotPath {
    let (topic, fill) = filled(trades, columns: columns)
    let subject = try Subject(plugin, options: options, reading: [topic])
    fill()
    return HotPath {
      try await subject.live()
      return subject.done
    }
  }

  /// Reads rows of a file as events.
  private static func replay(path: String) throws -> HotPath {
    let subject = try Subject(
      .fileReplay, options: ["path": .scalar(path), "time": .scalar("ns"), "columns": .options(["time": .scalar("ts")])])
    return HotPath {
      try await subject.live()
      return subject.slot.output?.published ?? -1
    }
  }

  /// Writes events as rows of a file, as CSV if its name says so.
  private static func write(_ events: Int, path: String) throws -> HotPath {
    let (topic, fill) = filled(Workload.trades(events, symbols: try Workload.symbols(500)))
    let options: KeyValuePairs<String, ConfigNode.Value> = [
      "path": .scalar(path), "append": .scalar("false"), "fields": .list(["symbol", "price", "size", "time"]), "times": .scalar("ns"),
    ]
    let subject = try Subject(.fileWriter, options: options, reading: [topic])
    fill()
    return HotPath {
      try await subject.live()
      return subject.done
    }
  }

  private static func encode(_ events: Int) throws -> HotPath {
    let trade = Trade.schema.example
    return HotPath {
      var writer = ByteWriter()
      for _ in 0..<events {
        writer.clear()
        Trade.schema.encodeJSON(trade, to: &writer)
      }
      return events
    }
  }

  private static func decode(_ events: Int) throws -> HotPath {
    let text = Array(Trade.schema.json(Trade.schema.example).utf8)
    return HotPath {
      var good = 0
      for _ in 0..<events {
        try text.withUnsafeBufferPointer { bytes in
          var reader = ByteReader(bytes)
          if try Trade.schema.decodeJSON(&reader) == Trade.schema.example { good += 1 }
        }
      }
      return good
    }
  }
}
