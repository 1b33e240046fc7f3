// Room for StockbusTestKit.
