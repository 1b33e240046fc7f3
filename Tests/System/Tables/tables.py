#!/usr/bin/env python3
"""Compares tables with pyarrow, polars and DuckDB, exactly, in both directions.

    tables.py TOOL      TOOL is the program tables-tool of the folder Tool

Ends with 77 if one of the three is missing, with 1 at the first difference."""
import datetime, decimal, os, random, subprocess, sys, tempfile

try:
    import duckdb, polars as pl, pyarrow as pa, pyarrow.compute as pc, pyarrow.ipc as ipc, pyarrow.parquet as pq
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

TOOL = sys.argv[1]
FOLDER = tempfile.mkdtemp()
EPOCH = 0
checks = 0


def run(*arguments, ok=True):
    done = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True)
    if ok and done.returncode != 0:
        sys.exit(f"{arguments}: {done.stderr}")
    return done


def lines(text):
    return [line for line in text.split("\n")[:-1] if not line.startswith("# ")]


def at(name):
    return os.path.join(FOLDER, name)


def units(column):
    """The column as the tool shows it: units of numbers, texts in quotes, nothing for what is missing."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        column, kind = column.cast(kind.value_type), kind.value_type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view():
        return ["" if v is None else f"'{v}'" for v in column.to_pylist()]
    if pa.types.is_decimal(kind):
        scale, most = kind.scale, 9
        shift = decimal.Decimal(10) ** min(scale, most)
        context = decimal.Context(prec=60)
        return ["" if v is None else str(int(context.multiply(v, shift))) for v in column.to_pylist()]
    if pa.types.is_boolean(kind):
        return ["" if v is None else str(int(v)) for v in column.to_pylist()]
    if pa.types.is_floating(kind):
        return ["" if v is None or v != v else str(int(decimal.Decimal(repr(v)).scaleb(9))) for v in column.to_pylist()]
    factor = 1
    if pa.types.is_date32(kind):
        column, factor = column.cast(pa.int32()), 86400 * 10**9
    elif pa.types.is_temporal(kind):
        factor = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[kind.unit]
        if pa.types.is_time32(kind):
            column = column.cast(pa.int32())
        else:
            column = column.cast(pa.int64())
    return ["" if v is None else str(v * factor) for v in column.to_pylist()]


def shown(table):
    return ["\t".join(row) for row in zip(*[units(table[name].combine_chunks()) for name in table.column_names])]


def same(what, got, want):
    global checks
    checks += 1
    if got != want:
        where = next((i for i, (g, w) in enumerate(zip(got, want)) if g != w), min(len(got), len(want)))
        sys.exit(f"{what}: {len(got)} rows, expected {len(want)}; row {where}: {got[where:where+1]} instead of {want[where:where+1]}")


def ours(rows, seed):
    """What the tool writes is read exactly by all three."""
    want = lines(run("dump", rows, seed).stdout)
    stream = at("ours.arrows")
    run("write", rows, seed, stream)
    table = ipc.open_stream(stream).read_all()
    table.validate(full=True)
    same("stream by pyarrow", shown(table), want)
    same("stream by polars", shown(pl.read_ipc_stream(stream).to_arrow()), want)
    found_table = table
    # DuckDB makes an interval of microseconds of a duration.
    found = shown(duckdb.sql("select * exclude (wait) from found_table").to_arrow_table())
    same("stream by DuckDB", found, ["\t".join(line.split("\t")[:9] + line.split("\t")[10:]) for line in want])
    same("stream by the tool", lines(run("read", stream).stdout), want)
    for shape in ("zstd", "gzip", "none", "small"):
        path = at(f"ours-{shape}.parquet")
        run("write", rows, seed, path, shape)
        read = pq.read_table(path, page_checksum_verification=True)
        read.validate(full=True)
        if read.schema.remove_metadata() != table.schema.remove_metadata():
            sys.exit(f"{shape}: the types differ: {read.schema}")
        same(f"{shape} by pyarrow", shown(read), want)
        same(f"{shape} by polars", shown(pl.read_parquet(path).to_arrow()), want)
        # DuckDB gives a duration as a number of nanoseconds, and no time at the two ends of the range.
        if rows < 100:
            columns = "symbol, price, size, tick, side, late, count, received, wait, note"
            picked = [0, 1, 2, 3, 4, 5, 6, 8, 9, 10]
        else:
            columns, picked = "*", list(range(11))
        found = shown(duckdb.sql(f"select {columns} from '{path}'").to_arrow_table())
        cut = ["\t".join(line.split("\t")[i] for i in picked) for line in want]
        skip = 7 if rows >= 100 else 0
        same(f"{shape} by DuckDB", found[skip:], cut[skip:])
        same(f"{shape} by the tool", lines(run("read", path).stdout), want)
        run("check", path)
        if rows:
            # Predicates use the smallest and largest values of the footer.
            least = min(table["price"].to_pylist())
            for name, count in (
                ("pyarrow", pq.read_table(path, filters=[("price", "==", least)]).num_rows),
                ("polars", pl.scan_parquet(path).filter(pl.col("price") == pl.lit(least)).collect().height),
                ("DuckDB", duckdb.sql(f"select count(*) from '{path}' where price = '{least}'::decimal(19,9)").fetchall()[0][0]),
            ):
                same(f"{shape}: rows with the smallest price by {name}", [count], [table["price"].to_pylist().count(least)])
            statistics = [pq.read_metadata(path).row_group(g).column(i).statistics for g in range(pq.read_metadata(path).num_row_groups) for i in (1, 2)]
            lows = [s.min for s in statistics[0::2]]
            same(f"{shape}: the smallest price of the footer", [min(lows)], [least])
    turned = at("turned.parquet")
    run("turn", stream, turned)
    same("turned by pyarrow", shown(pq.read_table(turned)), want)


def made_up(rows, seed):
    """A table of types that others write, with values that are exact."""
    chance = random.Random(seed)

    def some(value):
        return [None if chance.random() < 0.2 else value() for _ in range(rows)]

    texts = ["", "ä", "AAPL", "x" * 50]
    number = lambda bits: (lambda: chance.choice([0, 1, -1, 2 ** (bits - 1) - 1, -(2 ** (bits - 1)), chance.randrange(-100, 100)]))
    big = lambda: decimal.Decimal(chance.choice([0, 1, -1, 2**63 - 1, -(2**63), chance.randrange(10**12)])).scaleb(-9)
    when = lambda scale: (lambda: chance.randrange(-(10**12), 2 * 10**9 * scale) if scale > 1000 else chance.randrange(2 * 10**9 * scale))
    columns = {
        "text": pa.array(some(lambda: chance.choice(texts)), pa.string()),
        "large": pa.array(some(lambda: f"id {chance.randrange(10**6)}"), pa.large_string()),
        "named": pa.array(some(lambda: chance.choice(texts)), pa.string()).dictionary_encode(),
        "price": pa.array(some(big), pa.decimal128(19, 9)),
        "cents": pa.array(some(lambda: decimal.Decimal(chance.randrange(-(10**6), 10**6)).scaleb(-2)), pa.decimal128(9, 2)),
        "medium": pa.array(some(lambda: decimal.Decimal(chance.randrange(-(10**14), 10**14)).scaleb(-4)), pa.decimal128(15, 4)),
        "wide": pa.array(some(lambda: decimal.Decimal(chance.randrange(-(10**15), 10**15)).scaleb(-9)), pa.decimal128(38, 18)),
        "flag": pa.array(some(lambda: chance.random() < 0.5), pa.bool_()),
        "i8": pa.array(some(number(8)), pa.int8()),
        "i16": pa.array(some(number(16)), pa.int16()),
        "i32": pa.array(some(number(32)), pa.int32()),
        "i64": pa.array(some(number(64)), pa.int64()),
        "u8": pa.array(some(lambda: chance.randrange(256)), pa.uint8()),
        "u32": pa.array(some(lambda: chance.randrange(2**32)), pa.uint32()),
        "u64": pa.array(some(lambda: chance.randrange(2**63)), pa.uint64()),
        "f32": pa.array(some(lambda: chance.randrange(-(10**4), 10**4) / 4), pa.float32()),
        "f64": pa.array(some(lambda: chance.choice([float("nan"), chance.randrange(-(10**9), 10**9) / 100])), pa.float64()),
        "date": pa.array(some(lambda: chance.randrange(-10000, 20000)), pa.int32()).cast(pa.date32()),
        "ms": pa.array(some(when(1000)), pa.int64()).cast(pa.timestamp("ms")),
        "us": pa.array(some(when(10**6)), pa.int64()).cast(pa.timestamp("us", "UTC")),
        "ns": pa.array(some(when(10**9)), pa.int64()).cast(pa.timestamp("ns", "UTC")),
        "clock": pa.array(some(lambda: chance.randrange(86400 * 10**6)), pa.int64()).cast(pa.time64("us")),
        "wait": pa.array(some(lambda: chance.randrange(10**12)), pa.int64()).cast(pa.duration("us")),
    }
    return pa.table(columns)


def theirs(rows, seed):
    """What the three write is read exactly by the tool, or refused with a sentence."""
    table = made_up(rows, seed)
    want = shown(table)
    path = at("theirs.parquet")

    def read(what, expected=want):
        same(what, lines(run("read", path).stdout), expected)
        run("check", path)

    codecs = ["snappy", "none", "gzip", "zstd"]
    for codec in codecs:
        for version in ("1.0", "2.0"):
            for dictionary in (True, False):
                pq.write_table(
                    table, path, compression=codec, data_page_version=version, use_dictionary=dictionary, row_group_size=max(1, rows // 3),
                    data_page_size=1000, write_page_checksum=version == "1.0")
                read(f"pyarrow {codec} {version} {dictionary}")
    encodings = {}
    for name in table.column_names:
        kind = table[name].type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            encodings[name] = ["DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"]
        elif pa.types.is_boolean(kind):
            encodings[name] = ["RLE"]
        elif pa.types.is_floating(kind):
            encodings[name] = ["BYTE_STREAM_SPLIT"]
        elif pa.types.is_decimal(kind):
            encodings[name] = ["BYTE_STREAM_SPLIT", "DELTA_BYTE_ARRAY"]
        elif not pa.types.is_dictionary(kind):
            encodings[name] = ["DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"]
    plain = table.drop_columns(["named"])
    for choice in (0, 1):
        for version in ("1.0", "2.0"):
            pq.write_table(
                plain, path, use_dictionary=False, data_page_version=version,
                column_encoding={name: kinds[choice % len(kinds)] for name, kinds in encodings.items()})
            read(f"pyarrow encodings {choice} {version}", shown(plain))
    pq.write_table(table, path, store_decimal_as_integer=True)
    read("pyarrow, decimals as integers")
    pq.write_table(table.select(["ns", "us"]), path, use_deprecated_int96_timestamps=True)
    read("pyarrow, INT96", shown(table.select(["ns", "us"])))
    pq.write_table(table, path, version="1.0", coerce_timestamps="us", allow_truncated_timestamps=True)
    run("read", path)

    frame = pl.from_arrow(table)
    made_table = table
    back = shown(frame.to_arrow())
    for codec in ("zstd", "snappy", "gzip", "uncompressed"):
        for version in ("1", "2") if rows else ("1",):
            frame.write_parquet(path, compression=codec, row_group_size=max(1, rows // 2))
            read(f"polars {codec}", back)
    for codec in ("snappy", "zstd", "gzip", "uncompressed"):
        for version in ("V1", "V2"):
            duckdb.sql(f"copy (select * from made_table) to '{path}' (format parquet, compression {codec}, parquet_version {version})")
            # DuckDB writes an interval, which is no duration, and clocks.
            names = [name for name in table.column_names if name not in ("wait",)]
            duckdb.sql(f"copy (select {', '.join(names)} from made_table) to '{path}' (format parquet, compression {codec}, parquet_version {version})")
            # By DuckDB, because pyarrow refuses its files of version 2 with some of these columns.
            read(f"DuckDB {codec} {version}", shown(duckdb.sql(f"select * from '{path}'").to_arrow_table()))

    stream = at("theirs.arrows")

    def streamed(what, expected, size=None):
        same(what, lines(run("read", stream).stdout), expected)
        run("check", stream)

    for options in (ipc.IpcWriteOptions(), ipc.IpcWriteOptions(emit_dictionary_deltas=True), ipc.IpcWriteOptions(unify_dictionaries=False)):
        with ipc.new_stream(stream, table.schema, options=options) as writer:
            writer.write_table(table, max_chunksize=max(1, rows // 4))
        streamed("stream of pyarrow", want)
    # A dictionary that grows.
    kind = pa.dictionary(pa.int8(), pa.string())
    parts = [["a", "b"], ["a", "b", "", "c"], ["a", "b", "", "c"]]
    for deltas in (True, False):
        with ipc.new_stream(stream, pa.schema([("named", kind)]), options=ipc.IpcWriteOptions(emit_dictionary_deltas=deltas)) as writer:
            for texts in parts:
                writer.write_batch(pa.record_batch([pa.DictionaryArray.from_arrays(pa.array(range(len(texts)), pa.int8()), texts)], names=["named"]))
        streamed("growing dictionary", [f"'{text}'" for texts in parts for text in texts])
    for level in (pl.CompatLevel.newest(), pl.CompatLevel.oldest()):
        frame.write_ipc_stream(stream, compat_level=level)
        streamed("stream of polars", back)
    # A table of ours that others wrote again: their copy of the metadata is not taken for checksums.
    run("write", 200, seed, at("first.arrows"))
    copied = ipc.open_stream(at("first.arrows")).read_all()
    with ipc.new_stream(stream, copied.schema) as writer:
        writer.write_table(copied)
    streamed("our stream by pyarrow", shown(copied))
    run("write", 200, seed, at("first.parquet"))
    copied = pq.read_table(at("first.parquet"))
    pq.write_table(copied, path)
    read("our file by pyarrow", shown(copied))


def refused():
    """What is not read is refused with a sentence that names the column."""
    path, stream = at("refused.parquet"), at("refused.arrows")
    for name, column, words in (
        ("list", pa.array([[1], [2]]), "list"),
        ("structure", pa.array([{"a": 1}]), "structure"),
        ("bytes", pa.array([b"\xff\xfe"], pa.binary()), "UTF-8"),
        ("rounded", pa.array([0.1 + 0.2]), "0.30000000000000004 is not a decimal"),
        ("large", pa.array([2**64 - 1], pa.uint64()), "range"),
        ("eleven", pa.array([decimal.Decimal("0.00000000001")], pa.decimal128(20, 11)), "more than nine decimals"),
        ("huge", pa.array([decimal.Decimal(10**25)], pa.decimal128(38, 0)), "more than 64 bits"),
    ):
        table = pa.table({"good": pa.array([1] * len(column)), name: column})
        pq.write_table(table, path)
        done = run("read", path, ok=False)
        if done.returncode != 1 or f"column '{name}'" not in done.stderr or words not in done.stderr:
            sys.exit(f"{name}: {done.stderr}")
        same("the column beside it", lines(run("read", path, "good").stdout), ["1"] * len(column))
        with ipc.new_stream(stream, table.schema) as writer:
            writer.write_table(table)
        done = run("read", stream, ok=False)
        if done.returncode != 1 or f"column '{name}'" not in done.stderr:
            sys.exit(f"{name}: {done.stderr}")
    with ipc.new_stream(stream, pa.schema([("a", pa.int64())]), options=ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(pa.table({"a": [1] * 1000}))
    done = run("read", stream, ok=False)
    if done.returncode != 1 or "compressed" not in done.stderr:
        sys.exit(f"compressed: {done.stderr}")
    for codec in ("brotli", "lz4"):
        pq.write_table(pa.table({"a": [1]}), path, compression=codec)
        done = run("read", path, ok=False)
        if done.returncode != 1 or "is not read" not in done.stderr:
            sys.exit(f"{codec}: {done.stderr}")


for rows, seed in ((0, 1), (1, 2), (5000, 3), (70000, 4)):
    ours(rows, seed)
for rows, seed in ((0, 5), (1, 6), (3000, 7)):
    theirs(rows, seed)
refused()
print(f"{checks} comparisons with pyarrow {pa.__version__}, polars {pl.__version__}, DuckDB {duckdb.__version__}: the same")
