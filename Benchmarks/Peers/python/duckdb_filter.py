"""duckdb_filter.py WATCHLIST INPUT OUTPUT THREADS: the watchlist filter in DuckDB, in the input's order."""
import sys

import duckdb

watchlist, source, target, threads = sys.argv[1:5]
# OR, because IN becomes a hash join, which does not keep the order.
names = open(watchlist).read().split()
wanted = " or ".join(f"symbol='{name}'" for name in names) if len(names) < 100 else "symbol is not null"
columns = "{'symbol':'VARCHAR','price':'DOUBLE','size':'BIGINT','ts':'BIGINT'}"
connection = duckdb.connect()
connection.execute(f"set threads={threads}")
if source.endswith("jsonl"):
    table = f"read_json('{source}', format='newline_delimited', columns={columns})"
    form = "format json"
else:
    table = f"read_csv('{source}', header=true, auto_detect=false, delim=',', columns={columns})"
    form = "format csv, header"
connection.execute(f"copy (select symbol, price, size, ts from {table} where {wanted}) to '{target}' ({form})")
