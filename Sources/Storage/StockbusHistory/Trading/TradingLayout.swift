/// The tables of a paper broker. A record is the event's JSON, in which all numbers are exact; columns beside it are for searching.
enum TradingLayout {
  static let tables = """

    CREATE TABLE trading (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      time INTEGER NOT NULL, count INTEGER NOT NULL, last_order INTEGER NOT NULL, last_fill INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE trading_accounts (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, record TEXT NOT NULL) STRICT;
    CREATE TABLE trading_equity (number INTEGER PRIMARY KEY, account TEXT NOT NULL, record TEXT NOT NULL) STRICT;
    CREATE INDEX trading_equity_by_account ON trading_equity (account, number);
    CREATE TABLE trading_positions (
      account TEXT NOT NULL, symbol TEXT NOT NULL, record TEXT NOT NULL, PRIMARY KEY (account, symbol)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE trading_orders (
      number INTEGER PRIMARY KEY, account TEXT NOT NULL, key TEXT NOT NULL, is_open INTEGER NOT NULL, record TEXT NOT NULL
    ) STRICT;
    CREATE INDEX trading_orders_open ON trading_orders (number) WHERE is_open;
    CREATE TABLE trading_fills (number INTEGER PRIMARY KEY, account TEXT NOT NULL, record TEXT NOT NULL) STRICT;
    CREATE INDEX trading_fills_by_account ON trading_fills (account, number);
    """

  /// The last market of an instrument with orders, and whether trading in it was halted.
  static let instruments = """
    CREATE TABLE trading_instruments (
      symbol TEXT PRIMARY KEY, mark INTEGER NOT NULL,
      has_quotes INTEGER NOT NULL, has_trades INTEGER NOT NULL, is_halted INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    """
}
