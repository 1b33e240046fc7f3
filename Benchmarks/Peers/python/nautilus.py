"""nautilus.py bus|engine WATCHLIST TICKS.csv COUNT: NautilusTrader's message bus, or its backtest engine up to a strategy.

Prints a line of JSON. Making the ticks is not measured.
"""
import itertools
import json
import sys
import time

from nautilus_trader.model.data import TradeTick
from nautilus_trader.model.enums import AggressorSide
from nautilus_trader.model.identifiers import TradeId, TraderId, Venue
from nautilus_trader.model.objects import Price, Quantity
from nautilus_trader.test_kit.providers import TestInstrumentProvider

mode, watchlist, path, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
symbols = open(watchlist).read().split()
instruments = {s: TestInstrumentProvider.equity(symbol=s, venue="XNAS") for s in symbols}
with open(path) as file:
    next(file)
    rows = [line.rstrip().split(",") for line in file]
rows = [(instruments[symbol].id, float(price), int(size), int(ts)) for symbol, price, size, ts in rows]
span = rows[-1][3] - rows[0][3] + 1000
ticks = [
    TradeTick(id, Price(price, 2), Quantity(size, 0), AggressorSide.BUYER, TradeId(str(k)), ts + k // len(rows) * span, ts + k // len(rows) * span)
    for k, (id, price, size, ts) in enumerate(itertools.islice(itertools.cycle(rows), count))
]

if mode == "bus":
    from nautilus_trader.common.component import MessageBus, TestClock

    bus = MessageBus(trader_id=TraderId("T-001"), clock=TestClock())
    seen = 0

    def handle(_):
        global seen
        seen += 1

    topics = {i.id: f"data.trades.XNAS.{i.id.symbol}" for i in instruments.values()}
    for topic in topics.values():
        bus.subscribe(topic=topic, handler=handle)
    addressed = [(topics[tick.instrument_id], tick) for tick in ticks]
    publish = bus.publish
    began = time.perf_counter()
    for topic, tick in addressed:
        publish(topic, tick)
    seconds = time.perf_counter() - began
else:
    from nautilus_trader.backtest.config import BacktestEngineConfig
    from nautilus_trader.backtest.engine import BacktestEngine
    from nautilus_trader.config import LoggingConfig, StrategyConfig
    from nautilus_trader.model.currencies import USD
    from nautilus_trader.model.enums import AccountType, OmsType
    from nautilus_trader.model.objects import Money
    from nautilus_trader.trading.strategy import Strategy

    class Counting(Strategy):
        def __init__(self):
            super().__init__(StrategyConfig())
            self.seen = 0

        def on_start(self):
            for instrument in instruments.values():
                self.subscribe_trade_ticks(instrument.id)

        def on_trade_tick(self, _):
            self.seen += 1

    engine = BacktestEngine(
        config=BacktestEngineConfig(trader_id="T-001", logging=LoggingConfig(bypass_logging=True), run_analysis=False)
    )
    engine.add_venue(
        venue=Venue("XNAS"), oms_type=OmsType.NETTING, account_type=AccountType.CASH, base_currency=USD,
        starting_balances=[Money(1_000_000, USD)],
    )
    for instrument in instruments.values():
        engine.add_instrument(instrument)
    strategy = Counting()
    engine.add_strategy(strategy)
    engine.add_data(ticks)
    began = time.perf_counter()
    engine.run()
    seconds = time.perf_counter() - began
    seen = strategy.seen

print(json.dumps({"seconds": seconds, "events": seen}))
