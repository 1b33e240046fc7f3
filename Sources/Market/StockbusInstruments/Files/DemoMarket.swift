/// The instruments of the demo's market: the symbols that the generator makes by default, and some coins. Their prices are made up.
package enum DemoMarket {
  /// What a configuration writes in place of the path of a file: `instruments: demo`.
  package static let word = "demo"

  package static let csv = """
    symbol,name,kind,industry,currency,tick_size,lot
    AAPL,Apple,equity,Consumer electronics,USD,0.01,1
    MSFT,Microsoft,equity,Software,USD,0.01,1
    NVDA,Nvidia,equity,Semiconductors,USD,0.01,1
    AMZN,Amazon,equity,Retail,USD,0.01,1
    GOOGL,Alphabet,equity,Internet,USD,0.01,1
    META,Meta Platforms,equity,Internet,USD,0.01,1
    TSLA,Tesla,equity,Cars,USD,0.01,1
    BRK.B,Berkshire Hathaway,equity,Insurance,USD,0.01,1
    JPM,JPMorgan Chase,equity,Banks,USD,0.01,1
    V,Visa,equity,Payments,USD,0.01,1
    UNH,UnitedHealth,equity,Health insurance,USD,0.01,1
    XOM,Exxon Mobil,equity,Oil and gas,USD,0.01,1
    JNJ,Johnson & Johnson,equity,Pharmaceuticals,USD,0.01,1
    WMT,Walmart,equity,Retail,USD,0.01,1
    MA,Mastercard,equity,Payments,USD,0.01,1
    PG,Procter & Gamble,equity,Household goods,USD,0.01,1
    AVGO,Broadcom,equity,Semiconductors,USD,0.01,1
    HD,Home Depot,equity,Retail,USD,0.01,1
    CVX,Chevron,equity,Oil and gas,USD,0.01,1
    MRK,Merck,equity,Pharmaceuticals,USD,0.01,1
    KO,Coca-Cola,equity,Beverages,USD,0.01,1
    PEP,PepsiCo,equity,Beverages,USD,0.01,1
    COST,Costco,equity,Retail,USD,0.01,1
    ADBE,Adobe,equity,Software,USD,0.01,1
    NFLX,Netflix,equity,Entertainment,USD,0.01,1
    BTC-USD,Bitcoin,crypto,Coins,USD,0.01,0.0001
    ETH-USD,Ether,crypto,Coins,USD,0.01,0.0001
    SOL-USD,Solana,crypto,Coins,USD,0.01,0.0001
    """
}
