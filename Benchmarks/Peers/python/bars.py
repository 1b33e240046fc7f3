"""bars.py polars|duckdb|nautilus COUNT: bars of a minute with average prices, of the trades that MarketBench and bars.c make.

Prints a line of JSON with the processor's seconds of the bars alone, and sums of them. NautilusTrader has no average price in its bars, and
takes one symbol only, which makes it easier: the trades are a thousand times as far apart, so that a bar has as many of them. Its sums are
not compared, only that no trade is missing from its volumes.
"""
import json
import sys
import time

import numpy as np

SYMBOLS = 1000
BEGIN, STEP, MINUTE = 1_719_840_600_000_000_000, 4_680_000, 60_000_000_000


def trades(count):
    i = np.arange(count, dtype=np.uint64)
    z = (i + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    cents = 10_000 + i.astype(np.int64) // 4096 % 500 + (z >> np.uint64(48)).astype(np.int64) % 21
    return {
        "symbol": (z % np.uint64(SYMBOLS)).astype(np.int32), "price": cents, "size": 1 + (z >> np.uint64(32)).astype(np.int64) % 999,
        "time": BEGIN + i.astype(np.int64) * STEP,
    }


def polars(columns):
    import polars as pl

    frame = pl.DataFrame(columns).with_columns(pl.col("price") / 100, pl.col("size").cast(pl.Float64), pl.from_epoch("time", "ns"))
    price, size = pl.col("price"), pl.col("size")
    began = time.process_time()
    bars = frame.lazy().group_by("symbol", pl.col("time").dt.truncate("1m")).agg(
        price.first().alias("open"), price.max().alias("high"), price.min().alias("low"), price.last().alias("close"),
        size.sum().alias("volume"), ((price * size).sum() / size.sum()).alias("vwap")).collect(engine="streaming")
    seconds = time.process_time() - began
    prices = sum(weight * (bars[name] * 100).round().cast(pl.Int64).sum() for name, weight in WEIGHTS.items())
    return seconds, bars.height, prices, int(bars["volume"].sum()), bars["vwap"].sum()


def duckdb(columns):
    import duckdb
    import polars as pl

    db = duckdb.connect()
    db.execute("SET threads = 1")
    frame = pl.DataFrame(columns)  # noqa: F841, DuckDB finds it by its name.
    db.execute("CREATE TABLE trades AS SELECT symbol, price / 100 AS price, size::DOUBLE AS size, make_timestamp_ns(time) AS time FROM frame")
    began = time.process_time()
    db.execute("CREATE TABLE bars AS SELECT symbol, time_bucket(INTERVAL 1 MINUTE, time) AS minute, arg_min(price, time) AS open,"
               " max(price) AS high, min(price) AS low, arg_max(price, time) AS close, sum(size) AS volume, sum(price * size) / sum(size) AS vwap"
               " FROM trades GROUP BY ALL")
    seconds = time.process_time() - began
    sums = ", ".join(f"{weight} * sum(round({name} * 100)::BIGINT)" for name, weight in WEIGHTS.items())
    row = db.execute(f"SELECT count(*), {sums}, sum(volume), sum(vwap) FROM bars").fetchone()
    return seconds, row[0], int(sum(row[1:5])), int(row[5]), row[6]


def nautilus(columns):
    """Its aggregator by itself: within its engine each trade costs 10 µs."""
    from nautilus_trader.common.component import TestClock
    from nautilus_trader.data.aggregation import TimeBarAggregator
    from nautilus_trader.model.data import BarType, TradeTick
    from nautilus_trader.model.enums import AggressorSide
    from nautilus_trader.model.identifiers import TradeId
    from nautilus_trader.model.objects import Price, Quantity
    from nautilus_trader.test_kit.providers import TestInstrumentProvider

    instrument = TestInstrumentProvider.equity(symbol="AAPL", venue="XNAS")
    times = BEGIN + (columns["time"] - BEGIN) * SYMBOLS
    ticks = [
        TradeTick(instrument.id, Price(price / 100, 2), Quantity(size, 0), AggressorSide.BUYER, TradeId(str(i)), at, at)
        for i, (price, size, at) in enumerate(zip(columns["price"].tolist(), columns["size"].tolist(), times.tolist()))
    ]
    bars = []
    clock = TestClock()
    clock.set_time(BEGIN)
    aggregator = TimeBarAggregator(
        instrument, BarType.from_str("AAPL.XNAS-1-MINUTE-LAST-INTERNAL"), bars.append, clock, interval_type="right-open")
    take, advance = aggregator.handle_trade_tick, clock.advance_time
    # The clock moves only where a minute ends, which is when its timer has something to do.
    minutes = (times // MINUTE).tolist()
    minute = minutes[0]
    began = time.process_time()
    for tick, at in zip(ticks, minutes):
        if at != minute:
            for event in advance(at * MINUTE):
                event.handle()
            minute = at
        take(tick)
    seconds = time.process_time() - began
    # The bar in progress at the end is not sent.
    whole = times < minute * MINUTE
    return seconds, len(bars), 0, sum(int(bar.volume.as_double()) for bar in bars) - int(columns["size"][whole].sum()), 0


WEIGHTS = {"open": 1, "high": 2, "low": 3, "close": 4}


def main():
    how, count = sys.argv[1], int(sys.argv[2])
    seconds, bars, prices, volume, vwap = {"polars": polars, "duckdb": duckdb, "nautilus": nautilus}[how](trades(count))
    scale = 10_000_000
    print(json.dumps({"cpu": seconds, "events": count, "bars": bars, "prices": prices * scale, "volume": volume, "vwap": vwap * 1e9}))


main()
