// Room for StockbusConfig.
