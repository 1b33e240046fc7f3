// One import gives the tests of a plugin all modules.
@_exported public import StockbusConfig
@_exported public import StockbusPlugin
@_exported public import StockbusRuntime
