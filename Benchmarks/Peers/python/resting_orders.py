"""resting_orders.py QUOTES ORDERS: NautilusTrader's matching engine with resting limit orders, none of which the quotes reach.

The same work as `MarketBench broker`: buys below and sales above the quotes. Prints a line of JSON with the processor's seconds of the quotes
alone, and whether every order is still open.
"""
import json
import sys
import time

import numpy as np
from nautilus_trader.backtest.config import BacktestEngineConfig
from nautilus_trader.backtest.engine import BacktestEngine
from nautilus_trader.config import LoggingConfig, RiskEngineConfig, StrategyConfig
from nautilus_trader.model.currencies import USD
from nautilus_trader.model.data import QuoteTick
from nautilus_trader.model.enums import AccountType, OmsType, OrderSide, TimeInForce
from nautilus_trader.model.identifiers import TraderId, Venue
from nautilus_trader.model.objects import Money, Price, Quantity
from nautilus_trader.test_kit.providers import TestInstrumentProvider
from nautilus_trader.trading.strategy import Strategy

BEGIN = 1_719_840_601_000_000_000
quotes, orders = int(sys.argv[1]), int(sys.argv[2])
instrument = TestInstrumentProvider.equity(symbol="AAPL", venue="XNAS")
bids = 10_000 + np.random.default_rng(11).integers(0, 50, quotes + 1)
ticks = [
    QuoteTick(instrument.id, Price(bid / 100, 2), Price((bid + 1) / 100, 2), Quantity(100, 0), Quantity(100, 0), BEGIN + i * 1_000_000,
              BEGIN + i * 1_000_000)
    for i, bid in enumerate(bids.tolist())
]


class Resting(Strategy):
    """Sends its orders with the first quote, and looks at the time when the second one comes."""

    def __init__(self):
        super().__init__(StrategyConfig())
        self.seen = 0
        self.began = 0.0

    def on_start(self):
        self.subscribe_quote_ticks(instrument.id)

    def on_quote_tick(self, _):
        self.seen += 1
        if self.seen == 1:
            for i in range(orders):
                cents = i // 2 % 5000
                side, price = (OrderSide.BUY, 9_999 - cents) if i % 2 == 0 else (OrderSide.SELL, 10_100 + cents)
                self.submit_order(self.order_factory.limit(
                    instrument.id, side, Quantity(1, 0), Price(price / 100, 2), time_in_force=TimeInForce.GTC))
        elif self.seen == 2:
            self.began = time.process_time()


engine = BacktestEngine(config=BacktestEngineConfig(
    trader_id="T-001", logging=LoggingConfig(bypass_logging=True), run_analysis=False, risk_engine=RiskEngineConfig(bypass=True)))
engine.add_venue(
    venue=Venue("XNAS"), oms_type=OmsType.NETTING, account_type=AccountType.MARGIN, base_currency=USD,
    starting_balances=[Money(1_000_000_000, USD)])
engine.add_instrument(instrument)
strategy = Resting()
engine.add_strategy(strategy)
engine.add_data(ticks)
engine.run()
seconds = time.process_time() - strategy.began
states = [order.status_string() for order in strategy.cache.orders()]
is_right = strategy.seen == quotes + 1 and states == ["ACCEPTED"] * orders and not strategy.cache.positions()
print(json.dumps({"cpu": seconds, "events": quotes - 1, "right": is_right}))
