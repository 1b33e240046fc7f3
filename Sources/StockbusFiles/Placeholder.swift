// Room for StockbusFiles.
