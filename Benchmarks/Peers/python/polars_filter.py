"""polars_filter.py WATCHLIST INPUT OUTPUT: the watchlist filter in polars, streaming."""
import sys

import polars as pl

watchlist, source, target = sys.argv[1:4]
names = open(watchlist).read().split()
schema = {"symbol": pl.String, "price": pl.Float64, "size": pl.Int64, "ts": pl.Int64}
if source.endswith("jsonl"):
    pl.scan_ndjson(source, schema=schema).filter(pl.col("symbol").is_in(names)).sink_ndjson(target)
else:
    pl.scan_csv(source, schema=schema).filter(pl.col("symbol").is_in(names)).sink_csv(target)
