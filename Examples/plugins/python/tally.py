"""Counts events by symbol, and writes `symbol,count` lines at the end: `options: { path: tally.csv }`.

The counts are its state, so a process that continues this one counts on, and each event is in the file once.
"""
from __future__ import annotations

import csv
import os
from typing import Any

from stockbus_plugin import Event, Sink, run


class Tally(Sink):
    def start(self, options: dict[str, Any], state: Any) -> None:
        self.path: str = options["path"]
        self.counts: dict[str, int] = state or {}

    def state(self) -> dict[str, int]:
        return self.counts

    def process(self, event: Event) -> None:
        self.counts[event["symbol"]] = self.counts.get(event["symbol"], 0) + 1

    def drain(self) -> None:
        # The file is renamed when it is complete: a reader sees the former one or the new one.
        with open(self.path + ".new", "w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(["symbol", "count"])
            rows.writerows(sorted(self.counts.items()))
        os.replace(self.path + ".new", self.path)

    def hand_over(self) -> None:
        """Writes nothing: the counts go on in the next process."""


run(Tally)
