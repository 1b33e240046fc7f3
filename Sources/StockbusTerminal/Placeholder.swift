// Room for StockbusTerminal.
