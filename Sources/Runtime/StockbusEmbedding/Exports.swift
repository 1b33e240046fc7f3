// One import gives a program that embeds runs everything.
@_exported public import StockbusPlugin
@_exported public import StockbusRuntime
