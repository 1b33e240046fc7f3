#!/usr/bin/env python3
"""Bars of a minute, minute by minute over all symbols, into a new database, as one would without stockbus.

usage: history_rows.py sqlite|duckdb BARS SYMBOLS FILE

Prints a line of JSON with the processor's seconds of the inserting alone. sqlite: executemany, 20,000 rows a transaction, a write-ahead log and
the key that finds a symbol's bars. duckdb: an insert of 20,000 rows at a time from a data frame, without a key.
"""
import json
import os
import random
import sys
import time

LENGTH = 60_000_000_000
COLUMNS = ["symbol", "length", "start", "open", "high", "low", "close", "volume", "turnover", "vwap", "count", "price_decimals", "size_decimals",
           "session", "status", "revision", "received"]
TOGETHER = 20_000


def rows(count, symbols):
    rng = random.Random(9)
    for i in range(count):
        open_ = rng.randint(500, 90_000) * 10_000_000
        start = 1_719_850_020_000_000_000 + i // symbols * LENGTH
        volume = rng.randint(1, 100_000)
        yield (i % symbols + 1, LENGTH, start, open_, open_ + 50_000_000, open_ - 30_000_000, open_ + 10_000_000, volume * 1_000_000_000,
               volume * open_, open_ + 1_234_567, 17, 2, 0, 2, 0, 0, start + LENGTH + 200_000_000)


def sqlite(batches, path):
    import sqlite3

    db = sqlite3.connect(path, isolation_level=None)
    db.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536;"
                     f"CREATE TABLE bars ({', '.join(name + ' INTEGER NOT NULL' for name in COLUMNS)}, PRIMARY KEY (symbol, length, start))"
                     " STRICT, WITHOUT ROWID")
    insert = f"INSERT OR REPLACE INTO bars VALUES ({', '.join('?' * len(COLUMNS))})"
    began = time.process_time()
    for batch in batches:
        db.execute("BEGIN IMMEDIATE")
        db.executemany(insert, batch)
        db.execute("COMMIT")
    return time.process_time() - began, db.execute("SELECT count(*), sum(volume / 1000000000) FROM bars").fetchone()


def duckdb(batches, path):
    import duckdb
    import polars

    db = duckdb.connect(path)
    db.execute("SET threads = 1")
    db.execute(f"CREATE TABLE bars ({', '.join(name + ' BIGINT NOT NULL' for name in COLUMNS)})")
    frames = [polars.DataFrame(batch, schema=COLUMNS, orient="row") for batch in batches]
    began = time.process_time()
    for frame in frames:
        db.execute("INSERT INTO bars SELECT * FROM frame")
    db.execute("CHECKPOINT")
    return time.process_time() - began, db.execute("SELECT count(*), sum(volume // 1000000000) FROM bars").fetchone()


def main():
    how, count, symbols, path = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    for suffix in ("", "-wal", "-shm", ".wal"):
        if os.path.exists(path + suffix):
            os.remove(path + suffix)
    all_rows = list(rows(count, symbols))
    batches = [all_rows[i:i + TOGETHER] for i in range(0, count, TOGETHER)]
    seconds, (found, volume) = {"sqlite": sqlite, "duckdb": duckdb}[how](batches, path)
    right = found == count and volume == sum(row[7] for row in all_rows) // 1_000_000_000
    print(json.dumps({"cpu": seconds, "events": found, "right": right}))


main()
