internal import ArgumentParser
public import StockbusTerminal

/// `--color`.
extension ColorChoice: ExpressibleByArgument {}
