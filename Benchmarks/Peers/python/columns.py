"""columns.py polars|duckdb WORK COUNT: what a component with columns does, of the events that MarketBench makes.

Prints a line of JSON with the processor's nanoseconds a trade of the work alone, how many rows it gives, and sums of its columns with weights,
which are exact: whole numbers of billionths.
"""
import json
import sys
import time

import numpy as np

BEGIN, SESSION, SYMBOLS = 1_719_840_600_000_000_000, 23_400_000_000_000, 1000
U = np.uint64


def random(i):
    z = (i.astype(np.uint64) + U(1)) * U(0x9E3779B97F4A7C15)
    z = (z ^ z >> U(30)) * U(0xBF58476D1CE4E5B9)
    z = (z ^ z >> U(27)) * U(0x94D049BB133111EB)
    return z ^ z >> U(31)


def common(i, z):
    return (z % U(SYMBOLS)).astype(np.int32), 10_000 + i // 4096 % 500 + (z >> U(48)).astype(np.int64) % 21


def trades(count):
    i = np.arange(count)
    z = random(i)
    symbol, cents = common(i, z)
    return {"symbol": symbol, "price": cents * 10**7, "size": (1 + (z >> U(32)).astype(np.int64) % 999) * 10**9, "time": BEGIN + i * (SESSION // count)}


def quotes(count):
    i = np.arange(count)
    z = random(i + 1_000_000_000)
    symbol, cents = common(i, z)
    step = SESSION // count
    return {"symbol": symbol, "bid": (cents - 1) * 10**7, "ask": (cents + 1) * 10**7, "time": BEGIN + i * step + (z >> U(20)).astype(np.int64) % step}


def lines(count):
    """The two lines, in the order of their receipts; of equal ones the first line comes first."""
    found = []
    every = trades(count)
    z = random(np.arange(count))
    for line in (0, 1):
        kept = z % U(100) != U(line)
        part = {name: values[kept] for name, values in every.items()}
        part["received"] = part["time"] + (z[kept] >> U(8 + 8 * line)).astype(np.int64) % 1000 + line
        order = np.argsort(part["received"], kind="stable")
        found.append({name: values[order] for name, values in part.items()})
    return found


WITHIN = 60 * 10**9


def polars(work, count):
    import polars as pl

    frame = pl.DataFrame(trades(count))
    price, size = pl.col("price"), pl.col("size")
    if work == "as_of":
        frame, other = frame.set_sorted("time"), pl.DataFrame(quotes(count)).set_sorted("time")
        return timed(lambda: frame.join_asof(other, on="time", by="symbol", strategy="backward", tolerance=WITHIN), ["bid", "ask"])
    if work == "derive":
        # Rounded half away from zero, in whole numbers.
        whole = size // 10**9
        part = (price * 2 + whole) // (whole * 2)
        return timed(lambda: frame.with_columns(value=price // 10**7 * whole * 10**7, far=price - 102_500_000_000, part=part), ["value", "far", "part"])
    if work == "rank":
        began, found = time.process_time_ns(), []
        for part in range(1, 6):
            first = pl.col("row").first().alias("first")
            change = (pl.col("price").last() - pl.col("price").first()).alias("change")
            some = frame.head(part * count // 5).with_row_index("row").group_by("symbol").agg(first, change)
            found.append(some.sort("change", "first", descending=[True, False])["symbol"].to_numpy())
        return time.process_time_ns() - began, lists(found)
    both = [pl.DataFrame(line) for line in lines(count)]
    keys = ["symbol", "time", "price", "size"]
    return timed(lambda: pl.concat(both).sort("received", maintain_order=True).unique(subset=keys, keep="first", maintain_order=True), [])


def duckdb(work, count):
    import duckdb

    db = duckdb.connect()
    db.execute("SET threads = 1")

    def table(name, columns):
        frame = {**columns, "row": np.arange(len(columns["time"]))}  # noqa: F841, DuckDB finds it by its name.
        db.execute(f"CREATE TABLE {name} AS SELECT * FROM frame")

    def query(text):
        return timed(lambda: db.execute(f"CREATE TABLE done AS {text}"), None), db

    if work == "dedupe":
        for name, line in zip("ab", lines(count)):
            table(name, line)
        (spent, _), db = query("SELECT min(received) AS received FROM (FROM a UNION ALL FROM b) GROUP BY symbol, time, price, size")
        return spent, {"sent": len(db.execute("SELECT 1 FROM done").fetchnumpy()["1"])}
    table("t", trades(count))
    if work == "rank":
        began, found = time.process_time_ns(), []
        for part in range(1, 6):
            some = db.execute(f"""SELECT symbol FROM t WHERE row < {part * count // 5} GROUP BY symbol
              ORDER BY arg_max(price, row) - arg_min(price, row) DESC, min(row)""")
            found.append(some.fetchnumpy()["symbol"])
        return time.process_time_ns() - began, lists(found)
    if work == "as_of":
        table("q", quotes(count))
        text = f"""SELECT t.row, CASE WHEN t.time - q.time <= {WITHIN} THEN bid END AS bid, CASE WHEN t.time - q.time <= {WITHIN} THEN ask END AS ask
          FROM t ASOF LEFT JOIN q ON t.symbol = q.symbol AND t.time >= q.time"""
        names = ["bid", "ask"]
    else:
        text = """SELECT row, price // 10000000 * (size // 1000000000) * 10000000 AS value, price - 102500000000 AS far,
          (price * 2 + size // 1000000000) // (size // 1000000000 * 2) AS part FROM t"""
        names = ["value", "far", "part"]
    (spent, _), db = query(text)
    return spent, sums(db.execute("SELECT * FROM done ORDER BY row").fetchnumpy(), names)


def lists(found):
    """Of each list of symbols, by rank: a sum of their numbers with their ranks."""
    return {f"list_{cut}": int(((symbols.astype(np.int64) + 1) * np.arange(1, len(symbols) + 1)).sum()) for cut, symbols in enumerate(found, 1)}


def sums(columns, names):
    count = len(columns[names[0]])
    weights = np.arange(count) % 1009 + 1
    found = {"sent": count}
    for name in names:
        values = columns[name]
        values = np.ma.filled(np.ma.asarray(values), 0)
        found[name] = int((np.nan_to_num(values).astype(np.int64) * weights).sum(dtype=np.int64))
    return found


def timed(work, names):
    began = time.process_time_ns()
    found = work()
    spent = time.process_time_ns() - began
    if names is None:
        return spent, None
    if not names:
        return spent, {"sent": found.height}
    return spent, sums({name: found[name].fill_null(0).to_numpy() for name in names}, names)


def main():
    who, work, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    spent, found = {"polars": polars, "duckdb": duckdb}[who](work, count)
    print(json.dumps({"events": count, "cpu": spent / count, **found}))


main()
