"""Columns beside events: processor time a trade of the components that add and pass them, on one core; results are compared exactly."""
from ..machine import ONE_CORE, Failed, lines_of_json, run
from ..setup import MARKET_BENCH, PEERS, PYTHON
from ..work import US, Contestant, Sample, Work, figure

POLARS, DUCKDB = "polars, one thread", "DuckDB, one thread"
TITLES = {
    "as_of": "`as_of`: the last quote beside each trade, as many quotes as trades", "derive": "`derive` of three columns: a product, a difference, a quotient",
    "pass": "a filter that passes trades with eight columns", "sample": "`sample` of a second", "dedupe": "`dedupe` of two lines",
}
BOUNDS = {"as_of": 25, "derive": 7, "pass": 6, "sample": 8}
PEERS_OF = {"as_of": (POLARS, DUCKDB), "derive": (POLARS, DUCKDB), "dedupe": (POLARS, DUCKDB)}


def ours(work, trades):
    done = run([MARKET_BENCH, "columns", work, trades], cores=ONE_CORE)
    return lines_of_json(done.output)[0], done.others


def works(quick):
    trades = 1_000_000 if quick else 5_000_000
    known = {}

    def mine(work):
        def measure():
            known[work], others = ours(work, trades)
            return Sample(known[work]["cpu"], others)

        return Contestant(US, measure)

    def peer(name, work):
        who = "polars" if name == POLARS else "duckdb"

        def measure():
            wanted = known.get(work) or known.setdefault(work, ours(work, trades)[0])
            done = run([PYTHON, PEERS / "python" / "columns.py", who, work, trades], cores=ONE_CORE, env={"POLARS_MAX_THREADS": "1"})
            line = lines_of_json(done.output)[0]
            wrong = [key for key in line if key != "cpu" and line[key] != wanted[key]]
            if wrong:
                raise Failed("wrong: " + ", ".join(f"{key} {line[key]}, ours {wanted[key]}" for key in wrong))
            return Sample(line["cpu"], done.others)

        return Contestant(name, measure, who)

    return [
        Work(
            f"columns-{work}", title, "CPU ns a trade", [mine(work), *(peer(name, work) for name in PEERS_OF.get(work, ()))],
            goals=[figure(f"at most {BOUNDS[work]} ns", BOUNDS[work])] if work in BOUNDS else []) for work, title in TITLES.items()
    ]
