"""Reads the messages that nats_out packs (`batch`), in one file without dependencies; Documentation/maintain/formats.md describes them.

    for event in events(headers["Stockbus-Event"], payload): print(event["symbol"], event["price"])

Numbers are decimal.Decimal with exactly the digits that were written, times nanoseconds since 1970. As a program it prints the events of a
stream as lines of JSON; that takes nats-py (`pip install nats-py`):

    python3 stockbus_packed.py nats://127.0.0.1:4222 TICKS
"""
from __future__ import annotations

import struct
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

#: What events are made of: a symbol, decimal, time, int64, uint32, text, other, or one of several words. `.0` is the place of a number's decimals.
DECLARATIONS = [
    "trade(symbol:symbol,price:decimal.0,size:decimal.1,side:unknown|buy|sell,time:time,received:time,condition:regular|sweep|opening|closing|corrected_close|derivatively_priced|prior_reference_price|out_of_sequence|extended_hours|odd_lot|average_price|price_variation|special_settlement|contingent|official_price|cancelled)",
    "quote(symbol:symbol,bid:decimal.0,ask:decimal.0,bid_size:decimal.1,ask_size:decimal.1,time:time,received:time)",
    "bar(symbol:symbol,length:other,open:decimal.0,high:decimal.0,low:decimal.0,close:decimal.0,volume:decimal.1,vwap:decimal,turnover:other,count:uint32,session:unknown|pre|regular|post,status:complete|partial,revision:uint32,time:time,received:time)",
    "ranked(symbol:symbol,rank:uint32,previous_rank:uint32,price:decimal.0,change:decimal.0,percent:decimal,volume:decimal.1,time:time,received:time)",
]


def fingerprint(declaration: str) -> str:
    """The 64-bit FNV-1a hash in 16 hexadecimal digits."""
    value = 0xCBF29CE484222325
    for byte in declaration.encode():
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


class Layout:
    """How the events of one declaration are packed."""

    def __init__(self, declaration: str):
        name, fields = declaration.rstrip(")").split("(")
        self.mark = f"{name} {fingerprint(declaration)}"
        # Name, form or choices, and the place of the decimals or -1.
        self.fields: list[tuple[str, str, int]] = []
        for field in fields.split(","):
            key, form = field.split(":")
            form, _, place = form.partition(".")
            self.fields.append((key, form, int(place or -1)))
        self.decimals = 1 + max(place for _, _, place in self.fields)

    def events(self, payload: bytes) -> Iterator[dict[str, Any]]:
        first, names = struct.unpack_from("<IH", payload)
        if first != 0:
            raise ValueError("a message that is not complete in itself")
        at, symbols = 6, []
        for _ in range(names):
            length = payload[at]
            symbols.append(payload[at + 1:at + 1 + length].decode())
            at += 1 + length
        (count,) = struct.unpack_from("<I", payload, at)
        at += 4
        rows: list[dict[str, Any]] = [{} for _ in range(count & 0x7FFFFFFF)]
        if count >> 31:
            at = columns(payload, at, rows)
        for row in rows:
            event: dict[str, Any] = {}
            for key, form, _ in self.fields:
                if form in ("decimal", "time", "int64"):
                    (event[key],) = struct.unpack_from("<q", payload, at)
                    at += 8
                elif form in ("symbol", "uint32"):
                    (number,) = struct.unpack_from("<I", payload, at)
                    event[key] = symbols[number] if form == "symbol" else number
                    at += 4
                elif form in ("text", "other"):
                    (length,) = struct.unpack_from("<I", payload, at)
                    event[key] = payload[at + 4:at + 4 + length].decode()
                    at += 4 + length
                else:
                    event[key] = form.split("|")[payload[at]]
                    at += 1
            decimals = payload[at:at + self.decimals]
            at += self.decimals
            for key, form, place in self.fields:
                if form == "decimal":
                    event[key] = number_text(event[key], decimals[place] if place >= 0 else 0)
            yield event | row
        if at != len(payload):
            raise ValueError("bytes that belong to no event")


def columns(payload: bytes, at: int, rows: list[dict[str, Any]]) -> int:
    """Reads the columns beside the events into a dictionary for each; None is no value. Returns where the events begin."""
    kinds, at = payload[at], at + 1
    names: list[tuple[str, int]] = []
    for _ in range(kinds):
        kind, length = struct.unpack_from("<BI", payload, at)
        names.append((payload[at + 5:at + 5 + length].decode(), kind))
        at += 5 + length
    for row in rows:
        for name, kind in names:
            (value,) = struct.unpack_from("<q", payload, at)
            at += 8
            # Numbers, percentages and seconds; times in nanoseconds; true or false.
            read = (number_text(value, 0), number_text(value, 0), number_text(value, 0), value, value == 1)
            row[name] = None if value == -2 ** 63 else read[kind]
    return at


def number_text(billionths: int, decimals: int) -> Decimal:
    """As stockbus writes it: with as many decimals as the number needs, and at least `decimals`."""
    while decimals < 9 and billionths % 10 ** (9 - decimals):
        decimals += 1
    return Decimal(billionths // 10 ** (9 - decimals)).scaleb(-decimals)


LAYOUTS = {layout.mark: layout for layout in map(Layout, DECLARATIONS)}


def events(mark: str, payload: bytes) -> Iterator[dict[str, Any]]:
    """The events of a message whose header `Stockbus-Event` is `mark`."""
    if mark not in LAYOUTS:
        raise ValueError(f"'{mark}' is not among {', '.join(LAYOUTS)}")
    return LAYOUTS[mark].events(payload)


async def main(server: str, stream: str) -> None:
    import json

    import nats  # type: ignore[import-not-found]

    connection = await nats.connect(server)
    subscription = await connection.jetstream().subscribe(">", stream=stream, ordered_consumer=True)
    async for message in subscription.messages:
        for event in events(message.headers["Stockbus-Event"], message.data):
            print(json.dumps(event, default=str))


if __name__ == "__main__":
    import asyncio
    import sys

    asyncio.run(main(*sys.argv[1:3]))
