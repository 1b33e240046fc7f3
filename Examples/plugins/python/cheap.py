"""Passes trades below a price: `options: { below: 100 }`."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stockbus_plugin import Event, Processor, run


class Cheap(Processor):
    takes = ["trade"]
    emits = "trade"

    def start(self, options: dict[str, Any], state: Any) -> None:
        self.below = options["below"]

    def process(self, event: Event) -> Iterator[Event]:
        if event["price"] < self.below:
            yield event


run(Cheap)
