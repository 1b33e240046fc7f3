#!/usr/bin/env python3
"""Counts what is in raw captures, without the program: the golden numbers of the decoding tests.

  Scripts/capture-counts.py FOLDER > Tests/Fixtures/Captures/counts.txt

FOLDER holds the recordings (see Tests/Unit/StockbusDecodingTests/RecordingTests.swift). One line a number: FILE KIND COUNT.
"""
import collections, decimal, json, re, sys

decimal.getcontext().prec = 60
FITS = decimal.Decimal("9223372036.854775807")


def fits(text):
    """True where a number has at most nine decimals and is in range."""
    value = decimal.Decimal(str(text))
    return abs(value) <= FITS and value == value.quantize(decimal.Decimal("1e-9"))


def lines(path):
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        match = re.match(r"^([0-9.]+):? (.*)$", line)
        if match:
            yield "message", match[2]
        elif not line.strip():
            yield "blank", None
        elif " <-> " in line:
            yield "connected", None
        else:
            yield "sent", None


def load(text):
    return json.loads(text, parse_float=decimal.Decimal)


def binance(message, count, last):
    stream = message["data"]
    kind = stream["e"]
    count[{"trade": "trade", "aggTrade": "agg_trade", "bookTicker": "book_ticker", "kline": "kline", "depthUpdate": "depth"}[kind]] += 1
    if kind in ("trade", "aggTrade"):
        count["trade events"] += 1
        number = stream["t" if kind == "trade" else "a"]
        key = (kind, stream["s"])
        if key in last and number != last[key] + 1:
            count["trade gaps"] += 1
        last[key] = number
    if kind == "bookTicker":
        count["quote events"] += 1
        key = (kind, stream["s"])
        if key in last and stream["u"] <= last[key]:
            count["quote gaps"] += 1
        last[key] = stream["u"]
    if kind == "kline" and stream["k"]["x"]:
        count["bar events"] += 1


def coinbase(message, count, last):
    kind = message["type"]
    count[{"snapshot": "level2", "l2update": "level2"}.get(kind, kind)] += 1
    if kind in ("match", "last_match"):
        count["trade events"] += 1
        product = message["product_id"]
        number = message["trade_id"]
        if product in last and number != last[product] + 1 and not (kind == "last_match" and number == last[product]):
            count["trade gaps"] += 1
        last[product] = number
    if kind == "ticker":
        count["quote events"] += 1
        key = ("ticker", message["product_id"])
        if key in last and message["sequence"] <= last[key]:
            count["quote gaps"] += 1
        last[key] = message["sequence"]


def kraken(message, count, last):
    if isinstance(message, list):
        count["book" if message[-2].startswith("book-") else message[-2]] += 1
    else:
        count[{"subscriptionStatus": "subscribed", "systemStatus": "status"}.get(message["event"], message["event"])] += 1


def bitfinex(message, count, last):
    if isinstance(message, dict):
        kind = message["event"]
        count[{"conf": "configured"}.get(kind, kind)] += 1
        if kind == "subscribed":
            last[("channel", message["chanId"])] = message["channel"]
        return
    number = message[-1]
    if "number" in last and number != last["number"] + 1:
        count["trade gaps"] += 1
        count["quote gaps"] += 1
    last["number"] = number
    body = message[1]
    if body == "hb":
        count["heartbeat"] += 1
    elif body == "te":
        count["trade"] += 1
        count["trade events"] += 1
    elif body == "tu":
        count["trade_update"] += 1
    else:
        channel = last[("channel", message[0])]
        count[{"trades": "trades_snapshot"}.get(channel, channel)] += 1
        if channel == "ticker" and fits(body[0]) and fits(body[2]):
            count["quote events"] += 1


def gemini(message, count, last):
    kind = message["type"]
    count[{"l2_updates": "level2"}.get(kind, kind)] += 1
    if kind == "trade":
        count["trade events"] += 1
        key = message["symbol"]
        if key in last and message["event_id"] <= last[key]:
            count["trade gaps"] += 1
        last[key] = message["event_id"]


FILES = [
    ("binance_ws/binance_spot_trades_btcusdt_ethusdt_20240809_304s.raw", binance),
    ("venues_ws/BINANCE_FUTURES.ws.1.0.cryptofeed.txt", binance),
    ("coinbase_ws/coinbase_exchange_20210417.cryptofeed.txt", coinbase),
    ("venues_ws/KRAKEN.ws.50.0.cryptofeed.txt", kraken),
    ("venues_ws/BITFINEX.ws.11.0.cryptofeed.txt", bitfinex),
    ("venues_ws/GEMINI.ws.1.0.cryptofeed.txt", gemini),
]

for path, read in FILES:
    count, last = collections.Counter(), {}
    for kind, text in lines(f"{sys.argv[1]}/{path}"):
        if kind == "message":
            read(load(text), count, last)
        else:
            count[f"line {kind}"] += 1
        count["lines"] += 1
    for kind in sorted(count):
        print(path, kind.replace(" ", "-"), count[kind])
