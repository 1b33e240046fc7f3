"""Replay: the watchlist filter, file to file, every row typed; and every row written."""
from ..machine import ONE_CORE, run
from ..rows import DATA, OUT, ROWS, Outputs, in_memory
from ..setup import BIN, PEERS, PYTHON, STOCKBUS
from ..work import US, Contestant, Goal, Sample, Work, figure, times

ONE, TWO = US, f"{US}, two cores"
LIMIT, SIMDJSON, DUCKDB, POLARS = "C++ typed (limit)", "simdjson", "DuckDB, two cores", "polars, two cores"
# Million rows a second that Fluent Bit 5.1.1 reached on this input; Debian does not have it.
FLUENT_BIT = 0.67


def config(source, watchlist, target):
    """As a user writes it."""
    path = OUT / f"{target}.yaml"
    path.write_text(
        f"""sources:
  ticks: {{ plugin: file_replay, path: "{DATA / source}", speed: max, time: ns, columns: {{ time: ts }} }}
processors:
  mine: {{ plugin: watchlist_filter, inputs: [ticks], file: "{DATA / watchlist}" }}
sinks:
  kept:
    plugin: file_writer
    inputs: [mine]
    path: "{OUT / target}"
    append: false
    fields: [symbol, price, size, time]
    times: ns
"""
    )
    return path


def file_to_file(outputs, command, source, target, cores, everything):
    def measure():
        (OUT / target).unlink(missing_ok=True)
        in_memory(source)
        done = run(command, cores=cores)
        outputs.check(OUT / target, everything)
        return Sample(ROWS / done.wall / 1e6, done.others, {"cpu": done.cpu, "peak_mib": done.peak_kib / 1024})

    return measure


def work(outputs, id, title, source, names, goals, watchlist="watch20.txt", **options):
    """The contestants that are named, on one input."""
    form = "csv" if source.endswith("csv") else "jsonl"
    everything = watchlist == "all.txt"

    def contestant(name):
        target = f"{id}-{''.join(c for c in name if c.isalnum())}.{form}"
        out, data, watched = OUT / target, DATA / source, DATA / watchlist
        command, peer, cores = {
            ONE: lambda: ([STOCKBUS, "run", "--quiet", config(source, watchlist, target)], "", ONE_CORE),
            TWO: lambda: ([STOCKBUS, "run", "--quiet", config(source, watchlist, target)], "", "all"),
            LIMIT: lambda: ([BIN / "rowfilter", watched, data, out, "csv" if form == "csv" else "json"], "rowfilter", ONE_CORE),
            SIMDJSON: lambda: ([BIN / "simdfilter", watched, data, out], "simdjson", ONE_CORE),
            DUCKDB: lambda: ([PYTHON, PEERS / "python" / "duckdb_filter.py", watched, data, out, "2"], "duckdb", "all"),
            POLARS: lambda: ([PYTHON, PEERS / "python" / "polars_filter.py", watched, data, out], "polars", "all"),
            "gawk": lambda: (awk("gawk", form, watched, data, out), "gawk", ONE_CORE),
            "mawk": lambda: (awk("mawk", form, watched, data, out), "mawk", ONE_CORE),
        }[name]()
        return Contestant(name, file_to_file(outputs, command, data, target, cores, everything), peer)

    contestants = [contestant(name) for name in names]
    return Work(id, title, "million rows/s", contestants, higher_is_better=True, goals=goals, **options)


def awk(program, form, watched, data, out):
    script = PEERS / "awk" / f"{form}.awk"
    return ["sh", "-c", f'exec {program} -v WATCHLIST="$1" -f "$2" "$3" > "$4"', "sh", watched, script, data, out]


def memory(name=ONE):
    return Goal("at most 32 MiB at the peak", lambda w: w.extra(name, "peak_mib"), 32, at_least=False)


def two_cores():
    return Goal("two cores at least 1.6 × one", lambda w: w.ratio(ONE, of=TWO), 1.6)


def works(quick):
    outputs = Outputs()
    all_json = [ONE, TWO, LIMIT, SIMDJSON, DUCKDB, POLARS, "gawk", "mawk"]
    return [
        work(
            outputs, "replay-jsonl", "JSON lines filter", "ticks.jsonl", all_json,
            [
                times(DUCKDB, 2.5), times(LIMIT, 0.5, "at least 0.5 of the typed C++ limit"),
                figure("at least 20 × Fluent Bit's 0.67 M rows/s", 20 * FLUENT_BIT, at_least=True), two_cores(), memory(), memory(TWO),
            ]),
        work(
            outputs, "replay-csv", "CSV filter", "ticks.csv", [ONE, TWO, LIMIT, DUCKDB, POLARS, "gawk", "mawk"],
            [times(POLARS, 2), times("mawk", 2), times(LIMIT, 0.5, "at least 0.5 of the typed C++ limit"), two_cores(), memory(), memory(TWO)]),
        work(
            outputs, "replay-other", "JSON lines filter, keys in another order", "other.jsonl", [ONE, SIMDJSON, DUCKDB],
            [times(SIMDJSON, 0.5, "at least 0.5 of simdjson")]),
        work(
            outputs, "replay-mixed", "JSON lines filter, the order of the keys changes from row to row", "mixed.jsonl", [ONE, SIMDJSON, DUCKDB],
            [times(SIMDJSON, 0.5, "at least 0.5 of simdjson"), memory()]),
        work(
            outputs, "replay-escaped", "JSON lines filter, escaped symbols and a text nobody asks for", "escaped.jsonl", [ONE, SIMDJSON, DUCKDB],
            [times(SIMDJSON, 0.5, "at least 0.5 of simdjson"), memory()]),
        work(
            outputs, "replay-all-jsonl", "JSON lines, every row written", "ticks.jsonl", [ONE, TWO, LIMIT, SIMDJSON, DUCKDB, POLARS, "mawk"],
            [memory()], watchlist="all.txt", most_rounds=1 if quick else 5),
        work(
            outputs, "replay-all-csv", "CSV, every row written", "ticks.csv", [ONE, TWO, LIMIT, DUCKDB, POLARS, "mawk"],
            [memory()], watchlist="all.txt", most_rounds=1 if quick else 5),
    ]
