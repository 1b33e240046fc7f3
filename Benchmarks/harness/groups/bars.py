"""Bars of a minute with average prices, from trades in memory: processor time a trade on one core; sums of all bars are compared."""
from ..machine import ONE_CORE, Failed, lines_of_json, run
from ..setup import BIN, MARKET_BENCH, PEERS, PYTHON
from ..work import US, Contestant, Sample, Work, figure, times

LIMIT, DUCKDB = "the limit: a loop in C", "DuckDB, one thread"
POLARS, NAUTILUS = "polars, one thread", "NautilusTrader's aggregator, no average price"


def works(quick):
    trades = 2_000_000 if quick else 5_000_000
    right = {}

    def expected():
        if not right:
            right.update(lines_of_json(run([BIN / "bars", trades], cores=ONE_CORE).output)[0])
        return right

    def contestant(name, command, peer="", has_sums=True, events=trades, is_exact=False):
        def measure():
            done = run([*command, events], cores=ONE_CORE, env={"POLARS_MAX_THREADS": "1"})
            line, wanted = lines_of_json(done.output)[0], expected()
            if has_sums:
                wrong = [key for key in ("events", "bars", "prices", "volume") if line[key] != wanted[key]]
                # Floating-point averages are compared as far as they reach.
                if abs(line["vwap"] - wanted["vwap"]) > (0 if is_exact else wanted["vwap"] * 1e-9):
                    wrong.append("vwap")
                if wrong:
                    raise Failed(f"wrong: {', '.join(f'{key} {line[key]}, not {wanted[key]}' for key in wrong)}")
            elif line["volume"] != 0:
                raise Failed(f"{line['volume']} too much in its volumes")
            return Sample(line["cpu"] / events * 1e9, done.others)

        return Contestant(name, measure, peer)

    def python(how):
        return [PYTHON, PEERS / "python" / "bars.py", how]

    return [
        Work(
            "bars-1m", "Bars of a minute with average prices, 1,000 symbols", "CPU ns a trade",
            [
                contestant(US, [MARKET_BENCH, "bars"], is_exact=True), contestant(LIMIT, [BIN / "bars"], "bars-limit", is_exact=True),
                contestant(POLARS, python("polars"), "polars"), contestant(DUCKDB, python("duckdb"), "duckdb"),
                contestant(NAUTILUS, python("nautilus"), "nautilus", has_sums=False, events=200_000),
            ], goals=[
                figure("at most 20 ns a trade", 20), times(LIMIT, 6.4 / 20, "at most 20/6.4 of the C loop's time, which the goal was set by"),
                times(POLARS, 1), times(DUCKDB, 1),
            ])
    ]
