import MarketData

/// Numbers written as text, for tests.
func price(_ text: String) -> Price {
  do throws(TextError) { return try Price(text) } catch { fatalError("'\(text)': \(error)") }
}

func units(_ text: String) -> Quantity { Quantity(raw: price(text).raw) }
func percent(_ text: String) -> Percent { Percent(raw: price(text).raw) }

func amount(_ text: String) -> Amount {
  do throws(TextError) { return try Amount(text) } catch { fatalError("'\(text)': \(error)") }
}
