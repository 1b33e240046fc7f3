"""The paper broker: what a quote costs with many resting orders, none of which it reaches; every order has to be open at the end."""
from ..machine import ONE_CORE, Failed, lines_of_json, run
from ..setup import MARKET_BENCH, PEERS, PYTHON
from ..work import US, Contestant, Sample, Work, figure, times

NAUTILUS = "NautilusTrader's matching engine"


def contestant(name, command, peer=""):
    def measure():
        done = run(command, cores=ONE_CORE)
        line = lines_of_json(done.output)[0]
        if not line["right"]:
            raise Failed("not every order is open")
        return Sample(line["cpu"] / line["events"] * 1e9, done.others)

    return Contestant(name, measure, peer)


def works(quick):
    quotes = 500_000 if quick else 2_000_000
    nautilus = [PYTHON, PEERS / "python" / "resting_orders.py", 2_000, 1_000]
    return [
        Work(
            "broker-1000", "A quote with 1,000 resting limit orders", "CPU ns a quote",
            [contestant(US, [MARKET_BENCH, "broker", quotes, 1_000]), contestant(NAUTILUS, nautilus, "nautilus")], goals=[times(NAUTILUS, 100)]),
        # Not beside the peer, to which ten thousand orders take five minutes to send.
        Work(
            "broker-10000", "A quote with 10,000 resting limit orders", "CPU ns a quote",
            [contestant(US, [MARKET_BENCH, "broker", quotes, 10_000])], goals=[figure("at most 300 ns", 300)]),
        Work(
            "broker-trails", "A quote with 10,000 trailing stops, the price rising", "CPU ns a quote",
            [contestant(US, [MARKET_BENCH, "broker", quotes, 10_000, "trails"])], goals=[figure("at most 300 ns", 300)]),
        Work(
            "broker-told", "The same, every stop sent once in 60,000 quotes", "CPU ns a quote",
            [contestant(US, [MARKET_BENCH, "broker", quotes, 10_000, "trails", "told"])]),
    ]
