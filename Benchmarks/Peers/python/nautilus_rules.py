"""nautilus_rules.py TRADES.csv: ten rules as a strategy of NautilusTrader's backtest engine.

Prints a line of JSON with how often each rule has fired. Making the ticks is not measured.
"""
import json
import sys
import time
from collections import deque

from nautilus_trader.backtest.config import BacktestEngineConfig
from nautilus_trader.backtest.engine import BacktestEngine
from nautilus_trader.config import LoggingConfig, StrategyConfig
from nautilus_trader.model.currencies import USD
from nautilus_trader.model.data import TradeTick
from nautilus_trader.model.enums import AccountType, AggressorSide, OmsType
from nautilus_trader.model.identifiers import TradeId, TraderId, Venue
from nautilus_trader.model.objects import Money, Price, Quantity
from nautilus_trader.test_kit.providers import TestInstrumentProvider
from nautilus_trader.trading.strategy import Strategy

MINUTE = 60_000_000_000
CHIPS = {"NVDA", "AMD", "AVGO"}

with open(sys.argv[1]) as file:
    next(file)
    rows = [line.rstrip().split(",") for line in file]
instruments = {s: TestInstrumentProvider.equity(symbol=s, venue="XNAS") for s in sorted({row[0] for row in rows})}
ticks = [
    TradeTick(
        instruments[symbol].id, Price.from_str(price), Quantity.from_str(size), AggressorSide.BUYER, TradeId(str(k)), int(ts), int(ts))
    for k, (symbol, price, size, ts) in enumerate(rows)
]


class Extreme:
    """The lowest price of a minute, or with a sign of -1 the highest: a price counts until the next one comes."""

    def __init__(self, sign):
        self.sign, self.points = sign, deque()

    def push(self, price, now):
        points, price = self.points, price * self.sign
        if points:
            points[-1][1] = now
            while points and points[-1][0] >= price:
                points.pop()
        points.append([price, None])
        while points[0][1] is not None and points[0][1] <= now - MINUTE:
            points.popleft()
        return points[0][0] * self.sign


class Memory:
    """What the rules know of an instrument."""

    def __init__(self, symbol):
        self.is_apple, self.is_chip = symbol == "AAPL", symbol in CHIPS
        self.low, self.high = Extreme(1), Extreme(-1)
        self.last, self.last_sum = deque(), 0
        self.sizes, self.size_sum, self.began = deque(), 0, None
        # What each rule's condition was at the last tick; None before it was known.
        self.was = {}


class Rules(Strategy):
    def __init__(self):
        super().__init__(StrategyConfig())
        self.seen = 0
        self.fired = {}
        self.memories = {instrument.id: Memory(symbol) for symbol, instrument in instruments.items()}

    def on_start(self):
        for instrument in instruments.values():
            self.subscribe_trade_ticks(instrument.id)

    def judge(self, memory, rule, holds):
        """Fires when a condition becomes true; not if it was true from the beginning."""
        if holds and memory.was.get(rule) is False:
            self.fired[rule] = self.fired.get(rule, 0) + 1
        memory.was[rule] = holds

    def on_trade_tick(self, tick):
        self.seen += 1
        memory = self.memories[tick.instrument_id]
        # In cents: raw prices and sizes have more digits than these rows.
        price, size, now = round(float(tick.price) * 100), int(tick.size), tick.ts_event
        self.judge(memory, "high", price > 19500)
        self.judge(memory, "low", price < 9300)
        if memory.is_apple:
            self.judge(memory, "apple", price > 13150)
        if memory.is_chip:
            self.judge(memory, "chips", price < 9900)
        low, high = memory.low.push(price, now), memory.high.push(price, now)
        self.judge(memory, "rise", (price - low) * 100 >= 2 * low)
        self.judge(memory, "fall", (high - price) * 100 >= 2 * high)
        self.judge(memory, "block", size >= 20000)
        memory.last.append(price)
        memory.last_sum += price
        if len(memory.last) > 50:
            memory.last_sum -= memory.last.popleft()
        if len(memory.last) == 50:
            self.judge(memory, "stretched", price * 5000 > 102 * memory.last_sum)
        memory.sizes.append((now, size))
        memory.size_sum += size
        while memory.sizes[0][0] <= now - MINUTE:
            memory.size_sum -= memory.sizes.popleft()[1]
        if memory.began is None:
            memory.began = now
        if now - memory.began >= MINUTE:
            self.judge(memory, "busy", memory.size_sum > 90000)
        self.judge(memory, "turnover", price * size > 200000000)


engine = BacktestEngine(config=BacktestEngineConfig(trader_id="T-001", logging=LoggingConfig(bypass_logging=True), run_analysis=False))
engine.add_venue(
    venue=Venue("XNAS"), oms_type=OmsType.NETTING, account_type=AccountType.CASH, base_currency=USD,
    starting_balances=[Money(1_000_000, USD)],
)
for instrument in instruments.values():
    engine.add_instrument(instrument)
strategy = Rules()
engine.add_strategy(strategy)
engine.add_data(ticks)
began = time.perf_counter()
engine.run()
seconds = time.perf_counter() - began
print(json.dumps({"seconds": seconds, "events": strategy.seen, "fired": strategy.fired}))
