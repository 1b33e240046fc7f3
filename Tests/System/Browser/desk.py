"""Accounts, orders, fills and alert rules of the stand-in: enough of a broker for the page to be tried, with exact whole numbers."""
from market import ONE, text, units

MONEY = 18


def money(value):
    return text(value, 2, MONEY)


class Desk:
    def __init__(self, market):
        self.market = market
        self.cash = {"paper": 42_183_50 * 10**16, "savings": 10_000 * 10**18}
        self.deposits = {"paper": 100_000 * 10**18, "savings": 10_000 * 10**18}
        self.realised = {"paper": 0, "savings": 0}
        self.fees = {"paper": 0, "savings": 0}
        self.held = {}  # (account, symbol): [quantity, cost]
        self.orders, self.fills, self.keys = [], [], {}
        self.changed = {name: market.frame for name in ("accounts", "positions", "orders", "fills", "rules", "watchlists")}
        for symbol, quantity in (("AAPL", 120), ("NVDA", 80), ("BRK.B", 25), ("TSLA", -30), ("ETH-USD", 4)):
            each = market.by_symbol[symbol]
            price = each.price * (1000 - quantity % 7 + 3) // 1000 // each.tick * each.tick
            self.held["paper", symbol] = [quantity * ONE, quantity * ONE * price]
            self.fill("paper", "buy" if quantity > 0 else "sell", symbol, abs(quantity) * ONE, price, book=False)
        jpm = market.by_symbol["JPM"]
        self.place({"account": "paper", "side": "buy", "symbol": "JPM", "size": "40", "kind": "limit", "price": text(jpm.price * 97 // 100 // jpm.tick * jpm.tick, 2), "time": "gtc", "key": "first"})
        self.rules = [
            self.rule(1, "AAPL", "gets above", "crosses above", "190.29"), self.rule(2, "NVDA", "gets below", "crosses below", "346.43"),
            self.rule(3, "BTC-USD", "gets above", "crosses above", "93028.64"), self.rule(4, "TSLA", "gets below", "crosses below", "371.34", muted=True, own=False),
        ]
        self.watchlists = {"tech": ["AAPL", "MSFT", "NVDA", "GOOGL", "ADBE", "AVGO"], "coins": ["BTC-USD", "ETH-USD", "SOL-USD", "DOGE-USD"]}
        self.alerts = []

    def touch(self, *names):
        for name in names:
            self.changed[name] = self.market.frame

    def rule(self, number, symbol, words, condition, threshold, muted=False, own=True):
        return {"id": str(number), "name": f"{symbol} {words} {threshold}", "symbol": symbol, "condition": f"{condition} {threshold}", "threshold": threshold, "muted": muted, "own": own}

    # Orders.

    def preview(self, order):
        each = self.market.by_symbol.get(order.get("symbol"))
        account = order.get("account") or "paper"
        if each is None:
            return {"accepted": False, "text": f"no symbol '{order.get('symbol')}'"}
        size = units(order["size"])
        buying = order["side"] == "buy"
        price = units(order["price"]) if order.get("price") else (each.ask if buying else each.bid)
        cost, fee = size * price, 10**18
        left = self.cash[account] - fee + (-cost if buying else cost)
        words = f"{order['side']} {text(size, 0)} {each.symbol} at {text(price, each.decimals)}"
        if order["kind"] == "market":
            words += " (the ask)" if buying else " (the bid)"
        answer = {"accepted": left >= 0, "text": words, "cost": money(cost), "fee": money(fee), "cash": money(left)}
        if left < 0:
            answer["text"] = f"insufficient buying power: {money(self.cash[account])} is there"
        return answer

    def place(self, order):
        if order["key"] in self.keys:
            return self.keys[order["key"]]
        answer = self.preview(order)
        if not answer["accepted"]:
            return answer
        account = order.get("account") or "paper"
        number = len(self.orders) + 1
        record = {
            "account": account, "key": order["key"], "replaces": "", "number": number, "symbol": order["symbol"], "side": order["side"], "type": order["kind"],
            "time_in_force": order.get("time", "day"), "quantity": text(units(order["size"]), 0), "limit": order.get("price") or "0", "stop": order.get("stop") or "0",
            "trail": "0", "trail_percent": "0", "state": "working", "reason": "none", "filled": "0", "value": "0", "fees": "0", "reserved": "0", "best": "0",
            "time": self.market.now // 10**6, "received": self.market.now // 10**6,
        }
        self.orders.append(record)
        self.keys[order["key"]] = answer
        answer["number"], answer["text"] = number, f"order {number}"
        if order["kind"] == "market":
            each = self.market.by_symbol[order["symbol"]]
            self.execute(record, each.ask if order["side"] == "buy" else each.bid)
        self.touch("orders")
        return answer

    def execute(self, record, price):
        record["state"], record["filled"] = "filled", record["quantity"]
        self.fill(record["account"], record["side"], record["symbol"], units(record["quantity"]), price, order=record["number"])
        self.touch("orders")

    def fill(self, account, side, symbol, size, price, order=0, book=True):
        realised = 0
        if book:
            signed = size if side == "buy" else -size
            held = self.held.setdefault((account, symbol), [0, 0])
            self.cash[account] -= signed * price + 10**18
            self.fees[account] += 10**18
            if held[0] * signed < 0:
                closed = min(abs(signed), abs(held[0])) * (1 if signed > 0 else -1)
                part = held[1] * -closed // held[0] if held[0] else 0
                realised = -closed * price - part
                held[0] += closed
                held[1] -= part
                signed -= closed
            held[0] += signed
            held[1] += signed * price
            self.realised[account] += realised
        decimals = self.market.by_symbol[symbol].decimals
        self.fills.append({
            "account": account, "number": len(self.fills) + 1, "order": order, "symbol": symbol, "side": side, "price": text(price, decimals), "quantity": text(size, 0),
            "fee": "1.00" if book else "0", "realised": money(realised), "position": "0", "reason": "touch", "shown": text(price, decimals), "shown_size": "0",
            "time": self.market.now // 10**6, "received": self.market.now // 10**6, "frame": self.market.frame,
        })
        self.touch("fills", "positions", "accounts")

    def match(self):
        """Working limit orders that the market has reached."""
        for record in self.orders:
            if record["state"] != "working" or record["type"] != "limit":
                continue
            each, limit = self.market.by_symbol[record["symbol"]], units(record["limit"])
            if record["side"] == "buy" and each.ask <= limit:
                self.execute(record, each.ask)
            elif record["side"] == "sell" and each.bid >= limit:
                self.execute(record, each.bid)

    # Records.

    def positions(self):
        out = []
        for (account, symbol), (quantity, cost) in self.held.items():
            each = self.market.by_symbol[symbol]
            value = quantity * each.price
            out.append({
                "account": account, "symbol": symbol, "quantity": text(quantity, 0), "cost": money(cost), "mark": text(each.price, each.decimals), "value": money(value),
                "unrealised": money(value - cost), "realised": "0", "fees": "0", "time": self.market.now // 10**6, "received": self.market.now // 10**6,
            })
        return out

    def accounts(self):
        out = []
        for name, cash in self.cash.items():
            values = [(quantity * self.market.by_symbol[symbol].price, cost) for (account, symbol), (quantity, cost) in self.held.items() if account == name]
            worth = sum(value for value, _ in values)
            out.append({
                "account": name, "currency": "USD", "deposits": money(self.deposits[name]), "cash": money(cash), "equity": money(cash + worth),
                "exposure": money(sum(abs(value) for value, _ in values)), "margin_used": "0.00", "reserved": "0.00", "buying_power": money(cash),
                "realised": money(self.realised[name]), "unrealised": money(sum(value - cost for value, cost in values)), "fees": money(self.fees[name]),
                "time": self.market.now // 10**6, "received": self.market.now // 10**6,
            })
        return out

    def portfolio(self):
        return {"accounts": self.accounts(), "positions": self.positions(), "orders": self.orders, "fills": [{key: value for key, value in fill.items() if key != "frame"} for fill in self.fills]}

    def fire(self, symbol, message, before=0):
        """An alert, dated so many milliseconds before now."""
        each = self.market.by_symbol[symbol]
        self.alerts.append((self.market.frame, {
            "number": len(self.alerts) + 1, "rule": f"{symbol} moved", "symbol": symbol, "message": message, "price": text(each.price, each.decimals), "time": self.market.now // 10**6 - before,
        }))
