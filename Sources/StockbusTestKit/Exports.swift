// One import for the tests of a plugin.
@_exported public import StockbusConfig
@_exported public import StockbusPlugin
@_exported public import StockbusRuntime
