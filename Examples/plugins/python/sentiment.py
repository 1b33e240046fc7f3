"""Reads headlines from a CSV file, and publishes those that a list of words finds good or bad.

`options: { path: headlines.csv, least: 2, interval: 0.5 }`: the file (by default the one that is here), the least score in either direction, and the
seconds between two headlines (0 by default). The headlines are made up.

It emits `alert`, the event type for "a rule has fired on this symbol, and here is why in words": the rule is the score, the message the headline, and
the price, which an alert must have, the one that the file gives for that moment. A `trade` would be wrong, since nothing was traded.
"""
from __future__ import annotations

import csv
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Optional

from stockbus_plugin import Event, Source, run

SCORES = {word: 1 for word in "beat beats demand growth lifts profit record strong upgrade".split()}
SCORES.update({word: -1 for word in "cut delays fall fire misses recall warn weak".split()})


def score(headline: str) -> int:
    """The number of good words, less that of bad ones."""
    return sum(SCORES.get(word.strip(".,:;!?\"'").lower(), 0) for word in headline.split())


class Sentiment(Source):
    emits = "alert"
    commits = True

    def start(self, options: dict[str, Any], state: Any) -> None:
        self.path = options.get("path", Path(__file__).with_name("headlines.csv"))
        self.least = int(options.get("least", 2))
        self.interval = float(options.get("interval", 0))
        self.read = int((state or {"read": 0})["read"])
        self.file = open(self.path, newline="", encoding="utf-8")

    def events(self) -> Iterator[Optional[Event]]:
        with self.file:
            rows = csv.DictReader(self.file, restval="")
            for number, row in enumerate(rows, 1):
                if number <= self.read:
                    continue
                yield self.alert(row, f"{self.path}:{rows.line_num}")
                self.commit({"read": number})
                if self.wait(self.interval):
                    return

    def alert(self, row: dict[str, str], origin: str) -> Optional[Event]:
        """The alert about a row; `None` if the headline says little, or after the row was rejected."""
        try:
            price = Decimal(row["price"])
        except InvalidOperation:
            price = Decimal("NaN")
        if not price.is_finite():
            self.reject(",".join(map(str, row.values())), origin, f"'{row['price']}' is no price")
            return None
        found = score(row["headline"])
        if abs(found) < self.least:
            return None
        return {"symbol": row["symbol"], "price": price, "rule": f"sentiment {found:+}", "message": row["headline"], "time": row["time"]}


run(Sentiment)
