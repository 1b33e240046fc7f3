"""conditions.py polars|duckdb|talib COUNT SYMBOLS FUNCTION: a function over earlier trades, of the trades that ConditionBench makes.

Prints a line of JSON with the processor's nanoseconds a trade of the function alone, how many results there are, and their sum with weights.
Sums and counts are exact; those of `ema` and `rsi` are as exact as floating-point numbers.
"""
import json
import sys
import time

import numpy as np

BEGIN, SESSION = 1_719_840_600_000_000_000, 23_400_000_000_000
U = np.uint64


def trades(count, symbols):
    i = np.arange(count, dtype=np.uint64)
    z = (i + U(1)) * U(0x9E3779B97F4A7C15)
    z = (z ^ z >> U(30)) * U(0xBF58476D1CE4E5B9)
    z = (z ^ z >> U(27)) * U(0x94D049BB133111EB)
    z ^= z >> U(31)
    i = i.astype(np.int64)
    cents = 10_000 + i // 4096 % 500 + (z >> U(48)).astype(np.int64) % 21
    return {
        "symbol": (z % U(symbols)).astype(np.int32), "price": cents, "size": 1 + (z >> U(32)).astype(np.int64) % 999,
        "time": BEGIN + i * (SESSION // count),
    }


def quotient(a, b):
    """a / b of whole numbers in cents a share, as billionths, half away from zero."""
    whole, rest = np.divmod(a, np.maximum(b, 1))
    return whole * 10_000_000 + (rest * 10_000_000 + b // 2) // np.maximum(b, 1)


SPAN = {"1s": 10**9, "10s": 10**10, "1m": 60 * 10**9, "5m": 300 * 10**9}
CROSS = "crosses_above(sma(price, 20), sma(price, 50))"


def mature(columns, span):
    """A window of time has a result once it is as old as it is long."""
    first = np.full(columns["symbol"].max() + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, columns["symbol"], columns["time"])
    return columns["time"] - first[columns["symbol"]] >= span


def polars(columns, function):
    import polars as pl

    frame = pl.DataFrame(columns).with_columns(pl.from_epoch("time", "ns")).set_sorted("time")
    price, size, by = pl.col("price"), pl.col("size"), "symbol"
    name, _, inner = function.rstrip(")").partition("(")
    window = inner.split(", ")[-1]

    def over(*expressions):
        began = time.process_time_ns()
        found = frame.select(*(e.over(by).alias(str(k)) for k, e in enumerate(expressions)))
        return time.process_time_ns() - began, [found[str(k)].to_numpy() for k in range(len(expressions))]

    if function == CROSS:
        spent, (a, b) = over(price.rolling_sum(20), price.rolling_sum(50))
        return spent, crossings(columns["symbol"], a, b), None
    if name == "sma":
        spent, (sums,) = over(price.rolling_sum(int(window)))
        ready = ~np.isnan(sums.astype(float))
        return spent, ready, quotient(np.nan_to_num(sums.astype(float)).astype(np.int64), np.int64(int(window)))
    if name == "ema":
        spent, (values,) = over(price.cast(pl.Float64).ewm_mean(span=int(window), adjust=False))
        return spent, None, values
    if window == "session":
        spent, (a, b) = over((price * size).cum_sum(), size.cum_sum())
        return spent, b > 0, quotient(a, b)
    if name == "vwap":
        spent, (a, b) = over((price * size).rolling_sum_by("time", window), size.rolling_sum_by("time", window))
        return spent, mature(columns, SPAN[window]), quotient(a, b)
    if name == "sum":
        spent, (a,) = over(size.rolling_sum_by("time", window))
        return spent, mature(columns, SPAN[window]), a * 10**9
    rolling = price.rolling_max_by if name == "highest" else price.rolling_min_by
    spent, (a,) = over(rolling("time", window))
    return spent, mature(columns, SPAN[window]), a * 10**7


def duckdb(columns, function):
    import duckdb

    db = duckdb.connect()
    db.execute("SET threads = 1")
    frame = {**columns, "row": np.arange(len(columns["time"]))}  # noqa: F841, DuckDB finds it by its name.
    db.execute("CREATE TABLE trades AS SELECT * FROM frame")
    name, _, inner = function.rstrip(")").partition("(")
    window = inner.split(", ")[-1]
    frames = "ROWS UNBOUNDED PRECEDING" if window == "session" else f"RANGE {SPAN[window] - 1} PRECEDING"
    what = {"vwap": "sum(price * size) OVER w, sum(size) OVER w", "sum": "sum(size) OVER w", "highest": "max(price) OVER w",
            "lowest": "min(price) OVER w"}[name]
    columns_ = ", ".join(f"({part})::BIGINT AS v{k}" for k, part in enumerate(what.split(", ")))
    began = time.process_time_ns()
    db.execute(f"CREATE TABLE done AS SELECT row, {columns_} FROM trades WINDOW w AS (PARTITION BY symbol ORDER BY time {frames})")
    spent = time.process_time_ns() - began
    found = db.execute("SELECT * FROM done ORDER BY row").fetchnumpy()
    ready = found["v0"] >= 0 if window == "session" else mature(columns, SPAN[window])
    if name == "vwap":
        return spent, ready, quotient(found["v0"], found["v1"])
    return spent, ready, found["v0"] * (10**9 if name == "sum" else 10**7)


def talib(columns, function):
    """Its batch functions, of prices that are grouped by symbol before."""
    import talib as ta

    prices = columns["price"] / 100
    order = np.argsort(columns["symbol"], kind="stable")
    groups = np.split(prices[order].copy(), np.cumsum(np.bincount(columns["symbol"]))[:-1])
    name, _, inner = function.rstrip(")").partition("(")
    if function == CROSS:
        def work(group):
            return ta.SMA(group, 20), ta.SMA(group, 50)
    else:
        call, events = getattr(ta, name.upper()), int(inner.split(", ")[-1])

        def work(group):
            return call(group, events)
    began = time.process_time_ns()
    found = [work(group) for group in groups]
    spent = time.process_time_ns() - began
    if function == CROSS:
        return spent, None, None
    values = np.empty(len(prices))
    values[order] = np.concatenate(found)
    return spent, ~np.isnan(values), values


def crossings(symbols, a, b):
    """Where 5 a > 2 b, the means of 20 and 50 without their rounding, and not at the trade of this symbol before."""
    order = np.argsort(symbols, kind="stable")
    a, b = a.astype(float)[order], b.astype(float)[order]
    known = ~np.isnan(b)
    first = np.where(known, np.floor(a * 10_000_000 / 20 + 0.5), 0)
    second = np.where(known, np.floor(b * 10_000_000 / 50 + 0.5), 0)
    beyond = known & (first > second)
    before = np.concatenate([[False], known[:-1] & ~beyond[:-1]]) & np.concatenate([[False], symbols[order][1:] == symbols[order][:-1]])
    found = np.empty(len(a), bool)
    found[order] = beyond & before
    return found


def main():
    who, count, symbols, function = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    columns = trades(count, symbols)
    spent, ready, values = {"polars": polars, "duckdb": duckdb, "talib": talib}[who](columns, function)
    line = {"events": count, "cpu": spent / count}
    if ready is not None:
        line["ready"] = int(ready.sum())
    if ready is not None and values is not None:
        weights = np.arange(count) % 1009 + 1
        if values.dtype == np.int64:
            line["sum"] = int((values * weights)[ready].sum(dtype=np.int64))
        else:
            line["floats"] = float((values * weights)[ready].sum() * 1e9)
    print(json.dumps(line))


main()
