"""A made-up market, the same for each seed: 10,000 symbols whose prices walk, their bars, trades and movers. Prices are whole billionths."""
import random

import frames

ONE = 10**9
KNOWN = """AAPL|Apple Inc.|Technology|186.48
MSFT|Microsoft|Software|216.68
NVDA|NVIDIA|Semiconductors|351.87
AMZN|Amazon.com|Retail|466.28
GOOGL|Alphabet A|Internet|491.32
META|Meta Platforms|Internet|386.54
TSLA|Tesla|Automobiles|382.06
BRK.B|Berkshire Hathaway B|Insurance|437.26
JPM|JPMorgan Chase|Banks|388.56
V|Visa|Payments|308.64
MA|Mastercard|Payments|366.43
UNH|UnitedHealth|Health care|362.44
HD|Home Depot|Retail|428.14
PG|Procter & Gamble|Household goods|441.88
JNJ|Johnson & Johnson|Pharmaceuticals|407.57
AVGO|Broadcom|Semiconductors|325.10
COST|Costco|Retail|246.43
MRK|Merck|Pharmaceuticals|371.71
CVX|Chevron|Energy|371.42
ADBE|Adobe|Software|325.39
NFLX|Netflix|Media|197.43
WMT|Walmart|Retail|193.85
XOM|Exxon Mobil|Energy|184.97
BTC-USD|Bitcoin|Crypto|91047.18000000
ETH-USD|Ether|Crypto|3200.56000000
SOL-USD|Solana|Crypto|142.52000000
DOGE-USD|Dogecoin|Crypto|0.16020000"""
FIRST = "Atlas Birch Cobalt Delta Ember Falcon Granite Harbor Indigo Juniper Keystone Lumen Meridian North Orchard Pioneer Quarry Ridge".split()
SECOND = "Biotech Bancorp Energy Foods Freight Holdings Industries Insurance Labs Logistics Materials Media Metals Networks Paper Power Rail Software Steel Water".split()
LENGTHS = {"1s": 1, "1m": 60, "5m": 300, "15m": 900, "1h": 3600, "1d": 86400, "1w": 604800}


def units(text):
    """A decimal text in billionths, exact."""
    whole, _, part = text.partition(".")
    size = int(whole.lstrip("-") or 0) * ONE + int((part + "0" * 9)[:9])
    return -size if text.startswith("-") else size


def text(number, decimals=9, digits=9):
    """A number of 10**-digits as a decimal text with so many decimals; more where it has more."""
    sign, size = ("-" if number < 0 else ""), abs(number)
    part = str(size % 10**digits).zfill(digits)
    while len(part) > decimals and part[-1] == "0":
        part = part[:-1]
    return f"{sign}{size // 10**digits}" + ("." + part if part else "")


class Instrument:
    def __init__(self, number, symbol, name, industry, price, decimals, kind="equity"):
        self.number, self.symbol, self.name, self.industry, self.kind = number, symbol, name, industry, kind
        self.price, self.decimals, self.size_decimals = price, decimals, 0
        self.reference, self.open_minute = price, None
        self.tick = 10 ** (9 - min(decimals, 9))
        self.fixed = False
        self.updates, self.rank, self.marks = 0, 0, 0
        self.volume, self.time, self.low, self.high = 0, 0, price, price
        self.stamps = {field: 0 for field in (frames.PRICE, frames.REFERENCE, frames.VOLUME, frames.QUOTE, frames.RANGE, frames.RANK, frames.SHAPE)}
        self.quote()

    def stamp(self, frame, fields):
        """These fields changed in this frame."""
        for field in self.stamps:
            if field & fields:
                self.stamps[field] = frame

    def changed_after(self, cursor):
        return sum(field for field, frame in self.stamps.items() if frame > cursor)

    def quote(self):
        step = self.tick * max(1, self.price // (self.tick * 20000))
        self.bid, self.ask = max(1, self.price - step), min(2**63 - 1, self.price + step)

    @property
    def change(self):
        return self.price - self.reference

    @property
    def percent(self):
        size = abs(self.change) * 100 * ONE // self.reference
        return size if self.change >= 0 else -size


class Market:
    def __init__(self, count=10_000, seed=42, now=1_381_239_000 * ONE, moving=1000, share=0.03):
        self.random = random.Random(seed)
        self.seed, self.now, self.moving, self.share = seed, now, moving, share
        self.frame, self.events, self.trades, self.minutes = 1, 0, {}, {}
        self.instruments = []
        for line in KNOWN.splitlines():
            symbol, name, industry, price = line.split("|")
            crypto = industry == "Crypto"
            self.add(symbol, name, "" if crypto else industry, units(price), len(price.partition(".")[2]), "crypto" if crypto else "equity")
        # Prices that floating point cannot hold, and that nobody moves.
        for symbol, price in (("BIG", "9007199.254740993"), ("TINY", "0.000000001")):
            self.add(symbol, f"{symbol.title()} number", "Numbers", units(price), 9).fixed = True
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        for made in range(900, 900 + max(0, count - len(self.instruments))):
            symbol = letters[made // 676 % 26] + letters[made // 26 % 26] + letters[made % 26] + ("X" if made >= 17576 else "Q")
            second = SECOND[made * 7 % len(SECOND)]
            price = self.random.randrange(500, 50_000) * ONE // 100
            self.add(symbol, f"{FIRST[made // 20 % len(FIRST)]} {second}", second, price, 2)
        self.by_symbol = {each.symbol: each for each in self.instruments}
        for place, each in enumerate(self.instruments):
            if each.fixed:
                each.volume = ONE
                continue
            each.reference = max(each.tick, each.price * self.random.randrange(97_000, 103_000) // 100_000 // each.tick * each.tick)
            each.volume = int(9e7 / (1 + place * 0.9)) * ONE
        self.rank()

    def add(self, symbol, name, industry, price, decimals, kind="equity"):
        made = Instrument(len(self.instruments), symbol, name, industry, price, decimals, kind)
        made.time = self.now
        self.instruments.append(made)
        return made

    def rank(self):
        for place, each in enumerate(sorted(self.instruments, key=lambda each: -each.volume), 1):
            if each.rank != place:
                each.rank = place
                each.stamp(self.frame, frames.RANK)

    def set_price(self, each, price, size=None):
        """One trade."""
        price = max(each.tick, price)
        size = size or self.random.randrange(1, 400) * ONE
        each.price, each.time = price, self.now
        each.low, each.high = min(each.low, price), max(each.high, price)
        each.volume += size
        each.updates += 1
        each.quote()
        each.stamp(self.frame, frames.PRICE | frames.VOLUME | frames.QUOTE | frames.RANGE)
        self.events += 1
        self.trades.setdefault(each.symbol, []).append([self.now // 10**6, text(price, each.decimals), text(size, 0), self.random.choice(["buy", "sell"])])
        start = self.now // (60 * ONE) * 60
        bar = self.minutes.get(each.symbol)
        if bar is None or bar[0] != start:
            self.minutes[each.symbol] = bar = [start, price, price, price, price, 0, 0]
        bar[2], bar[3], bar[4], bar[5], bar[6] = max(bar[2], price), min(bar[3], price), price, bar[5] + size, self.frame

    def step(self, nanoseconds):
        """Time goes on, and some of the moving symbols are traded."""
        self.now += nanoseconds
        for each in self.instruments[: self.moving]:
            if not each.fixed and (self.share >= 1 or self.random.random() < self.share):
                far = 1 + int(each.price // each.tick * 0.0004 * self.random.random())
                self.set_price(each, each.price + each.tick * self.random.choice([-far, far]))

    def bars(self, symbol, length, limit, to=None):
        """Bars backwards from the present price; the same question has the same answer."""
        each, step = self.by_symbol[symbol], LENGTHS[length]
        end = self.now // ONE // step * step
        last = end if to is None else min(end, to // 1000 // step * step)
        oldest = end - 1500 * step
        chance = random.Random(f"{self.seed} {symbol} {length}")
        close, out, far = each.price, [], (step**0.5) * 0.00025
        tick = each.tick
        for start in range(end, oldest, -step):
            body = close * (1 + (chance.random() - 0.497) * far * 2)
            first = max(tick, int(body) // tick * tick)
            high = max(first, close, int(max(first, close) * (1 + chance.random() * far * 0.7)) // tick * tick)
            low = max(1, min(first, close, int(min(first, close) * (1 - chance.random() * far * 0.7)) // tick * tick))
            volume = int(200 + chance.random() ** 2 * 4000) * step
            out.append([start * 1000, *(text(value, each.decimals) for value in (first, high, low, close)), str(volume)])
            close = first
        return [bar for bar in out if bar[0] <= last * 1000][:limit][::-1]

    def movers(self):
        traded = [each for each in self.instruments if not each.fixed][:400]
        line = lambda each, percent: [each.symbol, text(percent, 4), text(each.price, each.decimals), text(each.volume, 0), "unmarked"]  # noqa: E731
        lists = {}
        for period, factor in (("day", 1), ("week", 3)):
            of = lambda each: each.percent * factor + (each.number * 7919 % 1000 - 500) * 10**6 * (factor - 1)  # noqa: E731
            ordered = sorted(traded, key=of)
            lists[period] = {
                "gainers": [line(each, of(each)) for each in reversed(ordered[-20:])],
                "losers": [line(each, of(each)) for each in ordered[:20]],
                "active": [line(each, of(each)) for each in sorted(traded, key=lambda each: -each.volume)[:20]],
            }
        return lists
