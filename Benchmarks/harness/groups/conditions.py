"""Conditions that remember: processor time a trade of a function over earlier trades, on one core; results are compared exactly."""
from ..machine import ONE_CORE, Failed, lines_of_json, run
from ..setup import CONDITION_BENCH, PEERS, PYTHON
from ..work import US, Contestant, Sample, Work, figure, times

POLARS, DUCKDB, TALIB = "polars, one thread", "DuckDB, one thread", "TA-Lib in batches, grouped by symbol before"
CROSS = "crosses_above(sma(price, 20), sma(price, 50))"
# Nanoseconds above a comparison with 25 symbols; half as much again with 12,000, which do not fit the nearest caches.
BOUNDS = {"sma(price, 20)": 6, "ema(price, 20)": 4.5, "rsi(price, 14)": 7.5, CROSS: 11}
WINDOWS = ["sum(size, 1m)", "vwap(1m)", "highest(price, 1m)", "vwap(session)"]


def ours(trades, symbols, function, steady=False):
    words = ["steady"] if steady else []
    done = run([CONDITION_BENCH, trades, symbols, function, *words], cores=ONE_CORE)
    return lines_of_json(done.output)[0], done.others


def compare(line, wanted):
    """A peer's counts and sums, as far as it has them; floating-point numbers as far as they reach."""
    wrong = [key for key in ("events", "ready", "sum") if key in line and line[key] != wanted[key]]
    # The sum of ours wraps around at 64 bits.
    if "floats" in line and abs((line["floats"] - wanted["sum"] + 2**63) % 2**64 - 2**63) > abs(line["floats"]) * 1e-10:
        wrong.append("floats")
    if wrong:
        raise Failed("wrong: " + ", ".join(f"{key} {line[key]}, ours {wanted.get(key, wanted['sum'])}" for key in wrong))


def works(quick):
    trades = 1_000_000 if quick else 5_000_000
    known = {}

    def mine(symbols, function, is_steady):
        def measure():
            line, others = ours(trades, symbols, function, is_steady)
            known[symbols, function] = line
            return Sample(line["cpu"] - (line["base"] if is_steady else 0), others)

        return Contestant(US, measure)

    def peer(who, name, module, symbols, function):
        def measure():
            wanted = known.get((symbols, function)) or known.setdefault((symbols, function), ours(trades, symbols, function)[0])
            done = run([PYTHON, PEERS / "python" / "conditions.py", who, trades, symbols, function], cores=ONE_CORE, env={"POLARS_MAX_THREADS": "1"})
            line = lines_of_json(done.output)[0]
            compare(line, wanted)
            return Sample(line["cpu"], done.others)

        return Contestant(name, measure, module)

    found = []
    for symbols, factor in ((25, 1), (12_000, 1.5)):
        for function, bound in BOUNDS.items():
            found.append(
                Work(
                    f"conditions-{function.partition('(')[0]}-{symbols}", f"`{function}`, {symbols:,} symbols", "CPU ns a trade above a comparison",
                    # polars has no RSI.
                    [
                        mine(symbols, function, True), peer("talib", TALIB, "talib", symbols, function),
                        *([] if function.startswith("rsi") else [peer("polars", POLARS, "polars", symbols, function)]),
                    ], goals=[figure(f"at most {bound * factor:g} ns", bound * factor)]))
    for symbols in (25, 1_000):
        for function in WINDOWS:
            name = function.replace("(", "-").replace(", ", "-").rstrip(")")
            found.append(
                Work(
                    f"conditions-{name}-{symbols}", f"`{function}`, {symbols:,} symbols", "CPU ns a trade",
                    [mine(symbols, function, False), peer("polars", POLARS, "polars", symbols, function),
                     peer("duckdb", DUCKDB, "duckdb", symbols, function)],
                    goals=[times(POLARS, 2, "at most half of polars' time")]))
    return found
