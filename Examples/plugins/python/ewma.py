"""Publishes each trade with the exponentially weighted average of its symbol's prices: `options: { weight: 0.1, decimals: 4 }`.

average = average + weight × (price − average), beginning with the first price. Sum and product are exact; each average is then rounded to 18
decimals, half to even, and kept so. What is published is that average, rounded once more, to `decimals`. So the same trades always give the same
digits, also when the program is started again between two of them.
"""
from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_HALF_EVEN, Context, Decimal, setcontext
from typing import Any

from stockbus_plugin import Event, Processor, run

KEPT = Decimal("1e-18")
WEIGHT_DECIMALS = 9


class Ewma(Processor):
    takes = ["trade"]
    emits = "trade"

    def start(self, options: dict[str, Any], state: Any) -> None:
        # Prices have 10 digits before the point and averages 18 after it: times a weight of 9 decimals all that fits into 60 digits.
        setcontext(Context(prec=60, rounding=ROUND_HALF_EVEN))
        self.weight = Decimal(options.get("weight", "0.1"))
        if not 0 < self.weight <= 1 or self.weight != round(self.weight, WEIGHT_DECIMALS):
            raise ValueError(f"'weight' is {self.weight}; it must be above 0, at most 1, and have at most {WEIGHT_DECIMALS} decimals")
        decimals = int(options.get("decimals", 4))
        if not 0 <= decimals <= 9:
            raise ValueError(f"'decimals' is {decimals}; it must be from 0 to 9")
        self.published = Decimal(1).scaleb(-decimals)
        # 64 KiB of state are enough for about 1,500 symbols.
        self.averages: dict[str, Decimal] = state or {}

    def state(self) -> dict[str, Decimal]:
        return self.averages

    def process(self, event: Event) -> Iterator[Event]:
        symbol, price = event["symbol"], event["price"]
        before = self.averages.get(symbol, price)
        average = (before + self.weight * (price - before)).quantize(KEPT)
        self.averages[symbol] = average
        yield {**event, "price": average.quantize(self.published)}


run(Ewma)
