"""Ten rules over recorded trades (`stockbus rehearse`), beside a back-test of NautilusTrader and Prometheus' tests of alerting rules."""
import csv
import io
import subprocess
from collections import Counter, defaultdict

from ..machine import ONE_CORE, Failed, lines_of_json, run
from ..rows import DATA, OUT, in_memory
from ..setup import PEERS, PYTHON, STOCKBUS
from ..work import US, Contestant, Sample, Work, figure, times

ONE = f"{US}, one core"
ENGINE, PROMTOOL = "NautilusTrader backtest engine, the first 50,000 trades", "promtool test rules, the same 50,000 trades as 100,000 samples"
WHOLE, FIRST = DATA / "trades.csv", DATA / "first.csv"
TRADES, FIRST_TRADES = 5_000_000, 50_000
RULES = """\
      - { name: high, crosses_above: 195 }
      - { name: low, crosses_below: 93 }
      - { name: apple, symbol: AAPL, above: 131.50 }
      - { name: chips, symbols: [NVDA, AMD, AVGO], below: 99 }
      - { name: rise, rises_by: 2%, window: 1m }
      - { name: fall, falls_by: 2%, window: 1m }
      - { name: block, when: "size >= 20_000" }
      - { name: stretched, when: "price > 102% * sma(price, 50)" }
      - { name: busy, when: "sum(size, 1m) > 90_000" }
      - { name: turnover, when: "price * size > 2_000_000" }
"""
# How often each of them fires over all trades.
FIRED = {
    "high": 203, "low": 72, "apple": 13, "chips": 97, "rise": 602, "fall": 609, "block": 511, "stretched": 404, "busy": 1803, "turnover": 436,
}


def make():
    """Makes the trades once."""
    if not WHOLE.exists() or WHOLE.stat().st_size != 174_192_030:
        done = subprocess.run([str(PYTHON), str(PEERS / "python" / "trades.py"), str(DATA)], capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"no trades: {done.stderr[-300:]}")


def rehearse(path, cores):
    """How often each rule has fired, and the run."""
    config = OUT / "rules.yaml"
    config.write_text(
        f"""sources:
  trades: {{ plugin: file_replay, path: "{WHOLE}", time: ns }}
sinks:
  alerts:
    plugin: notification_dispatcher
    inputs: [trades]
    rules:
{RULES}    channels: [{{ console: {{}} }}]
"""
    )
    done = run([STOCKBUS, "rehearse", config, "--over", path, "--format", "csv"], cores=cores)
    return dict(Counter(row["rule"] for row in csv.DictReader(io.StringIO(done.output)))), done


class Firings:
    """How often each rule fires over the first trades, as our program says; it is asked once."""

    def __init__(self):
        self.known = None

    def check(self, fired):
        if self.known is None:
            self.known = rehearse(FIRST, "all")[0]
        if fired != self.known:
            raise Failed(f"other firings: {fired}, ours {self.known}")

    def test(self):
        """The first trades as a test of alerting rules, whose result has to be what our program says."""
        self.check(self.known or rehearse(FIRST, "all")[0])
        series = defaultdict(list)
        with open(FIRST) as file:
            for row in csv.DictReader(file):
                series["price", row["symbol"]].append(str(round(float(row["price"]) * 100)))
                series["size", row["symbol"]].append(row["size"])
        seconds = FIRST_TRADES * 2 // len(series)
        lines = [f"      - {{ series: '{name}{{symbol=\"{symbol}\"}}', values: '{' '.join(values)}' }}" for (name, symbol), values in series.items()]
        # Each time that a rule begins to fire has a time of its own.
        wanted = [f"          - {{ labels: '{{alertname=\"{rule}\"}}', value: {count} }}" for rule, count in self.known.items()]
        path = OUT / "rules.test.yml"
        path.write_text(
            "\n".join([
                f"rule_files: ['{PEERS / 'promtool' / 'rules.yml'}']", "evaluation_interval: 1s", "tests:", "  - interval: 1s", "    input_series:",
                *lines, "    promql_expr_test:", "      - expr: sum by (alertname) (changes(ALERTS_FOR_STATE[1d]) + 1)",
                f"        eval_time: {seconds - 1}s", "        exp_samples:", *wanted, "",
            ]))
        return path


def works(quick):
    firings = Firings()

    def mine(cores):
        def measure():
            make()
            in_memory(WHOLE)
            fired, done = rehearse(WHOLE, cores)
            if fired != FIRED:
                raise Failed(f"wrong firings: {fired}")
            return Sample(TRADES / done.wall / 1e6, done.others, {"cpu": done.cpu, "peak_mib": done.peak_kib / 1024})

        return measure

    def nautilus():
        make()
        done = run([PYTHON, PEERS / "python" / "nautilus_rules.py", FIRST])
        line = lines_of_json(done.output)[0]
        firings.check(line["fired"])
        return Sample(line["events"] / line["seconds"] / 1e6, done.others)

    def promtool():
        make()
        done = run(["promtool", "test", "rules", firings.test()])
        return Sample(FIRST_TRADES / done.wall / 1e6, done.others, {"cpu": done.cpu, "peak_mib": done.peak_kib / 1024})

    return [
        Work(
            "rules", "Ten rules over recorded trades", "million trades/s",
            [
                Contestant(US, mine("all"), "numpy"), Contestant(ONE, mine(ONE_CORE), "numpy"), Contestant(ENGINE, nautilus, "nautilus"),
                Contestant(PROMTOOL, promtool, "promtool"),
            ],
            higher_is_better=True, goals=[figure("at least 3 million trades a second", 3, at_least=True), times(ENGINE, 20)], most_rounds=2 if quick else 5)
    ]
