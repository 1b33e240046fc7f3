// Room for StockbusRuntime.
