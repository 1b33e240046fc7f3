import TestSupport

/// Messages for fuzzing a decoder: those of venues, unchanged, damaged, enlarged and made up, by seed.
///
/// It uses no decoder, only sample texts by the presets' names.
struct VenueMessages {
  private var random: SplitMix
  private let samples: [[UInt8]]
  /// Quoted texts and numbers of the samples, for making other messages.
  private let words: [[UInt8]]

  /// Makes messages like those of the preset with this name.
  init(_ preset: String, seed: UInt64) {
    random = SplitMix(seed)
    samples = (Self.samples[preset] ?? []).map { Array($0.utf8) }
    words =
      samples.flatMap { Self.words($0) }
      + ["0", "-1", "1e9", "\"\"", "null", "true", "{}", "[]", "\"A\"", "\"\\u0041\""].map { Array($0.utf8) }
  }

  /// The next message: a sample, a damaged sample, one made of the venue's words, or an enlarged one.
  mutating func next() -> [UInt8] {
    switch random.upTo(9) {
    case 0: pick(samples)
    case 1...4: damaged(pick(samples))
    case 5...7: invented()
    default: grown(to: 200 + random.upTo(1800))
    }
  }

  /// A sample in which one or two lists, objects, texts or numbers are enlarged as far as `size` allows.
  mutating func grown(to size: Int) -> [UInt8] {
    var message = pick(samples)
    if random.oneIn(4) { message = repeated(message, to: size) }
    let rounds = 1 + random.upTo(1)
    for _ in 0..<rounds { message = grown(message, by: size / rounds) }
    return message
  }

  private mutating func pick(_ list: [[UInt8]]) -> [UInt8] { list[Int.random(in: 0..<list.count, using: &random)] }

  private mutating func damaged(_ message: [UInt8]) -> [UInt8] {
    var bytes = message
    for _ in 0...random.upTo(3) where !bytes.isEmpty {
      let at = Int.random(in: 0..<bytes.count, using: &random)
      switch random.upTo(5) {
      case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes.remove(at: at)
      case 2: bytes.insert(Self.marks[Int.random(in: 0..<Self.marks.count, using: &random)], at: at)
      case 3: bytes.removeSubrange(at..<min(bytes.count, at + 1 + random.upTo(20)))
      case 4: bytes.insert(contentsOf: pick(words), at: at)
      default: bytes[at] = Self.marks[Int.random(in: 0..<Self.marks.count, using: &random)]
      }
    }
    return bytes
  }

  private static let marks = Array("{}[]\",:0123456789.eE+-\\untrfalse \u{7f}".utf8)

  /// A random JSON value with the venue's words in it.
  private mutating func invented() -> [UInt8] {
    var out: [UInt8] = []
    value(&out, depth: random.oneIn(50) ? 70 : 4)
    return out
  }

  private mutating func value(_ out: inout [UInt8], depth: Int) {
    let isDeep = depth > 10
    switch depth == 0 ? 9 : random.upTo(isDeep ? 1 : 9) {
    case 0, 2, 3:
      out.append(123)
      for n in 0..<(isDeep ? 1 : random.upTo(6)) {
        if n > 0 { out.append(44) }
        let key = pick(words)
        out += key.first == 34 ? key : [34, 107, 34]
        out.append(58)
        value(&out, depth: depth - 1)
      }
      out.append(125)
    case 1, 4, 5:
      out.append(91)
      for n in 0..<(isDeep ? 1 : random.upTo(6)) {
        if n > 0 { out.append(44) }
        value(&out, depth: depth - 1)
      }
      out.append(93)
    default: out += pick(words)
    }
  }

  /// A list that repeats the message.
  private func repeated(_ message: [UInt8], to size: Int) -> [UInt8] {
    var out: [UInt8] = [91]
    repeat {
      if out.count > 1 { out.append(44) }
      out += message
    } while out.count + message.count < size
    out.append(93)
    return out
  }

  /// Enlarges one container, text or number of the message by about `size` bytes.
  private mutating func grown(_ message: [UInt8], by size: Int) -> [UInt8] {
    let places = Self.places(message)
    guard !places.isEmpty else { return message }
    let at = places[Int.random(in: 0..<places.count, using: &random)]
    var filler: [UInt8] = []
    switch message[at] {
    case 91, 123:
      let isEmpty = at + 1 < message.count && message[at + 1] == message[at] + 2
      let item =
        message[at] == 91
        ? [pick(words), Array("0".utf8), Array("{}".utf8), Array("[[]]".utf8), pick(samples)][random.upTo(4)]
        : [Array("\"\":0".utf8), Array("\"\\u0041\":0".utf8), pick(words.filter { $0.first == 34 }) + [58] + pick(words)][random.upTo(2)]
      while filler.count < size { filler += item + [44] }
      if isEmpty { filler.removeLast() }
    case 34:
      let piece = Array(["A", "\\u0041", "\\n", "é", "0"][random.upTo(4)].utf8)
      while filler.count < size { filler += piece }
    default: filler = Array(repeating: random.oneIn(2) ? 48 : 57, count: size)
    }
    return Array(message[...at]) + filler + Array(message[(at + 1)...])
  }

  /// The positions of opening brackets, opening quotation marks and last digits.
  private static func places(_ message: [UInt8]) -> [Int] {
    var places: [Int] = []
    var isText = false
    var at = 0
    while at < message.count {
      let byte = message[at]
      if isText {
        if byte == 92 { at += 1 } else if byte == 34 { isText = false }
      } else if byte == 34 || byte == 91 || byte == 123 {
        places.append(at)
        isText = byte == 34
      } else if byte &- 48 < 10, at + 1 < message.count, message[at + 1] &- 48 >= 10 {
        places.append(at)
      }
      at += 1
    }
    return places
  }

  private static func words(_ message: [UInt8]) -> [[UInt8]] {
    message.split { "{}[]:,".utf8.contains($0) }.map { Array($0) }.filter { word in
      word.first == 34 ? word.count > 1 && word.last == 34 : word.first.map { $0 == 45 || $0 &- 48 < 10 } ?? false
    }
  }

  static let samples: [String: [String]] = [
    "binance": [
      #"{"stream":"btcusdt@trade","data":{"e":"trade","E":1,"s":"BTCUSDT","t":12345,"p":"0.001","q":"100","T":1672515782136,"m":true,"M":true}}"#,
      #"{"e":"kline","E":1,"s":"BNBBTC","k":{"t":1672515780000,"o":"0.0010","c":"0.0020","h":"0.0025","l":"0.0015","v":"1000","x":true}}"#,
      #"{"u":400900217,"s":"BNBUSDT","b":"25.35190000","B":"31.21000000","a":"25.36520000","A":"40.66000000"}"#,
      #"{"result":null,"id":1}"#, #"{"error":{"code":2,"msg":"Invalid request"}}"#,
    ],
    "binanceFutures": [
      #"{"stream":"x","data":{"e":"aggTrade","E":1,"s":"BTCUSDT","a":5933014,"p":"0.001","q":"100","T":1672515782136,"m":true}}"#,
      #"{"e":"bookTicker","u":400900217,"s":"BNBUSDT","b":"25.3519","B":"31.21","a":"25.3652","A":"40.66","T":1672515782136}"#,
    ],
    "coinbaseExchange": [
      #"{"type":"match","trade_id":10,"side":"sell","size":"5.2","price":"400.23","product_id":"BTC-USD","time":"2014-11-07T08:19:27.028459Z"}"#,
      #"{"type":"ticker","sequence":9,"product_id":"BTC-USD","best_bid":"6.5","best_bid_size":"3","best_ask":"7.25","best_ask_size":"4","time":"2014-11-07T08:19:28Z"}"#,
      #"{"type":"error","message":"Failed","reason":"nope"}"#,
    ],
    "coinbaseAdvanced": [
      #"{"channel":"market_trades","timestamp":"2023-02-09T20:19:35.39Z","sequence_num":1,"events":[{"type":"update","trades":[{"trade_id":"2","product_id":"ETH-USD","price":"1260.01","size":"0.3","side":"BUY","time":"2019-08-14T20:42:27.265Z"}]}]}"#,
      #"{"channel":"ticker","timestamp":"2023-02-09T20:30:37.167359596Z","sequence_num":0,"events":[{"type":"snapshot","tickers":[{"product_id":"BTC-USD","best_bid":"1.5","best_bid_quantity":"7","best_ask":"2.5","best_ask_quantity":"8"}]}]}"#,
    ],
    "kraken": [
      #"{"channel":"trade","type":"update","data":[{"symbol":"MATIC/USD","side":"sell","price":0.5117,"qty":40.0,"trade_id":4665906,"timestamp":"2023-09-25T07:49:37.708706Z"}]}"#,
      #"{"channel":"ticker","type":"update","data":[{"symbol":"ALGO/USD","bid":0.10025,"bid_qty":740.0,"ask":0.10036,"ask_qty":1361.4}]}"#,
      #"{"error":"Currency pair not supported","method":"subscribe","success":false}"#,
    ],
    "krakenV1": [
      #"[0,[["5541.20000","0.15850568","1534614057.321597","s","l",""],["6060.00000","0.02455000","1534614057.324998","b","l",""]],"trade","XBT\/USD"]"#,
      #"[0,["5698.40000","5700.00000","1542057299.545897","1.01234567","0.98765432"],"spread","XBT/USD"]"#,
      #"{"errorMessage":"Subscription depth not supported","event":"subscriptionStatus","status":"error"}"#,
    ],
    "bitfinex": [
      #"{"event":"subscribed","channel":"trades","chanId":19111,"symbol":"tBTCUSD","pair":"BTCUSD"}"#,
      #"[19111,"te",[401597395,1574694478808,-0.005,7245.3],2]"#, #"[19111,"hb",4]"#,
      "[5,[0.068965,60157.36709703,0.0774,48578.50804052,0.001969,0.0262,0.076989,101459.39453471,0.0828,0.068961],1]",
    ],
    "gemini": [
      #"{"type":"trade","symbol":"ANKRUSD","event_id":45465818387,"timestamp":1624493670759,"price":"0.07946","quantity":"1020.482111","side":"buy"}"#,
      #"{"type":"l2_updates","symbol":"ANKRUSD","changes":[["buy","0.07","0"]]}"#, #"{"result":"error","reason":"InvalidJson"}"#,
    ],
    "alpaca": [
      #"[{"T":"t","i":96921,"S":"AAPL","x":"D","p":126.55,"s":1,"t":"2021-02-22T15:51:44.208Z","c":["@","I"],"z":"C"},{"T":"q","S":"AMD","bp":87.66,"bs":1,"ap":87.67,"as":2,"t":"2021-02-22T15:51:45.335689322Z"}]"#,
      #"[{"T":"error","code":402,"msg":"auth failed"},{"T":"t"},{"T":"new"}]"#,
    ],
    "finnhub": [
      #"{"data":[{"p":7296.89,"s":"BINANCE:BTCUSDT","t":1575526691134,"v":0.011467,"c":["1"]},{"p":1e2,"s":"AAPL","t":1575526691135,"v":0,"c":null}],"type":"trade"}"#,
      #"{"type":"error","msg":"Invalid symbol"}"#,
    ],
    "massive": [
      #"[{"ev":"T","sym":"MSFT","x":4,"i":"12345","z":3,"p":114.125,"s":100,"c":[0,12],"t":1536036818784,"q":3681328}]"#,
      #"[{"ev":"status","status":"auth_failed","message":"authentication failed"}]"#,
    ],
  ]
}
