#!/usr/bin/env python3
"""Compares the functions over earlier events with TA-Lib, value by value to nine digits, and with QuantConnect Lean's tables.

indicators.py [--daily FILE] [--lean FOLDER] [--program PATH]. FILE is a CSV with date,symbol,open,high,low,close,volume; FOLDER is Lean's
`Tests/TestData`. What is not there is skipped, and that is said. Exits with 1 if a value differs.
"""
import argparse
import csv
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
NINE = 1e-9


def say(text):
    print(text, flush=True)


def ours(program, bars, functions):
    """The functions' results in units, not a number where there are none."""
    lines = "\n".join(" ".join(map(str, bar)) for bar in bars)
    done = subprocess.run([program, "series", *functions], input=lines + "\n", capture_output=True, text=True, check=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    return [[float("nan") if row[k] == "-" else int(row[k]) / 1e9 for row in rows] for k in range(len(functions))]


def talib_functions(ta, np, high, low, close, volume):
    def stochastic(events):
        highest, lowest = ta.MAX(high, events), ta.MIN(low, events)
        return np.where(highest > lowest, 100 * (close - lowest) / np.where(highest > lowest, highest - lowest, 1), np.nan)

    macd, signal, _ = ta.MACD(close, 12, 26, 9)
    upper, _, lower = ta.BBANDS(close, 20, 2, 2)
    return {
        "sma(close, 20)": ta.SMA(close, 20), "sma(close, 200)": ta.SMA(close, 200), "ema(close, 20)": ta.EMA(close, 20),
        "wma(close, 10)": ta.WMA(close, 10), "rsi(close, 14)": ta.RSI(close, 14), "macd(close, 12, 26)": macd,
        "macd_signal(close, 12, 26, 9)": signal, "atr(14)": ta.ATR(high, low, close, 14), "bollinger_upper(close, 20, 2)": upper,
        "bollinger_lower(close, 20, 2)": lower, "stochastic(14)": stochastic(14), "stddev(close, 20)": ta.STDDEV(close, 20),
        "highest(high, 14)": ta.MAX(high, 14), "lowest(low, 14)": ta.MIN(low, 14), "sum(volume, 10)": ta.SUM(volume, 10),
        "change(close, 10)": ta.MOM(close, 10), "prev(close, 3)": np.concatenate([[np.nan] * 3, close[:-3]]),
    }


def compare(np, title, function, got, wanted, later=False, nine=NINE):
    """True if both are ready at the same values, or the other one later, and equal."""
    got, wanted = np.array(got), np.array(wanted)
    both = ~np.isnan(got) & ~np.isnan(wanted)
    scale = np.maximum(1, np.abs(wanted[both]))
    worst = float(np.max(np.abs(got[both] - wanted[both]) / scale)) if both.any() else float("nan")
    unlike = int((np.isnan(got) & ~np.isnan(wanted)).sum()) + (0 if later else int((~np.isnan(got) & np.isnan(wanted)).sum()))
    right = unlike == 0 and (worst <= nine or not both.any())
    say(f"{'equal ' if right else 'DIFFER'} {title:16} {function:32} {int(both.sum()):6} values, worst {worst:.1e}" + (f", {unlike} not ready alike" if unlike else ""))
    return right


def units(text):
    """Decimal text as billionths, exactly."""
    from decimal import Decimal
    return int((Decimal(text) * 10**9).to_integral_value())


def with_talib(program, np, ta, title, bars):
    high, low, close, volume = (np.array([bar[k] for bar in bars]) / 1e9 for k in range(4))
    wanted = talib_functions(ta, np, high, low, close, volume)
    results = ours(program, bars, list(wanted))
    # Ours is ready before its signal is; TA-Lib gives all three together.
    return [compare(np, title, function, got, wanted[function], later=function.startswith("macd(")) for function, got in zip(wanted, results)]


# File, its column, function, the digits that its values have, and how many of its first values differ by definition: Lean seeds each of the
# MACD's averages on its own, where TA-Lib and stockbus begin both at the same value; and its true range begins with the first bar, which
# has no close before it.
LEAN = [
    ("spy_with_indicators.txt", "SMA14", "sma(close, 14)", 1e-6, 0),
    ("spy_with_indicators.txt", "EMA14", "ema(close, 14)", 1e-6, 0),
    ("spy_with_indicators.txt", "RSI 14 Wilder", "rsi(close, 14)", 1e-6, 0),
    ("spy_with_indicators.txt", "MACD 12 26", "macd(close, 12, 26)", 1e-4, 250),
    ("spy_ema.csv", "EMA14", "ema(close, 14)", 1e-9, 0),
    ("spy_with_macd.txt", "MACD", "macd(close, 12, 26)", 1e-5, 250),
    ("spy_with_macd.txt", "Signal", "macd_signal(close, 12, 26, 9)", 1e-5, 250),
    ("spy_atr_wilder.txt", "Average True Range 14", "atr(14)", 1e-5, 250),
    ("dwac_supertrend.txt", "Super", "supertrend(10, 3)", 1e-5, 150),
    ("spy_bollinger_bands.txt", "Moving Average 20", "sma(close, 20)", 1e-6, 0),
    ("spy_bollinger_bands.txt", "Bollinger Bands® 20 2 Top", "bollinger_upper(close, 20, 2)", 1e-6, 0),
    ("spy_bollinger_bands.txt", "Bollinger Bands® 20 2 Bottom", "bollinger_lower(close, 20, 2)", 1e-6, 0),
    ("spy_min.txt", "MIN_5", "lowest(close, 5)", 1e-9, 0),
    ("spy_max.txt", "MAX_5", "highest(close, 5)", 1e-9, 0),
    ("spx_lwma.csv", "LWMA", "wma(close, 6)", 1e-6, 0),
    # Its largest difference is 1.4e-4.
    ("spy_with_williamsR14.txt", "Williams %R 14", "stochastic(14) - 100", 1e-3, 0),
]


def with_lean(program, np, folder):
    right = []
    for name, column, function, digits, first in LEAN:
        path = folder / name
        if not path.exists():
            say(f"SKIPPED lean             {function}: there is no {path}")
            continue
        rows = [
            {key.strip().lower(): value.strip() for key, value in row.items() if key and value is not None}
            for row in csv.DictReader(path.open(encoding="utf-8-sig"))
        ]
        rows = [row for row in rows if row.get("close")]
        bars = [[units(row.get("high") or row["close"]), units(row.get("low") or row["close"]), units(row["close"]), 0] for row in rows]
        # Some tables have zeros where there is no value yet.
        wanted = [float(row.get(column.lower()) or "nan") or float("nan") for row in rows]
        wanted[:first] = [float("nan")] * min(first, len(wanted))
        right.append(compare(np, name[:16], function, ours(program, bars, [function])[0], wanted, later=True, nine=digits))
    return right


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--daily", type=Path, help="daily bars of several symbols")
    parser.add_argument("--lean", type=Path, help="Lean's Tests/TestData")
    parser.add_argument("--program", default=ROOT / ".build" / "release" / "ConditionBench")
    options = parser.parse_args()
    try:
        import numpy as np
        import talib as ta
    except ImportError as missing:
        say(f"SKIPPED: {missing}; pip install ta-lib numpy")
        sys.exit(77)
    right = []
    rng = np.random.default_rng(5)
    steps = 100_000 + np.cumsum(rng.integers(-60, 61, 5000))
    bars = [[int(c + rng.integers(0, 40)) * 10_000_000, int(c - rng.integers(0, 40)) * 10_000_000, int(c) * 10_000_000, int(rng.integers(1, 10**6)) * 10**9] for c in steps]
    right += with_talib(options.program, np, ta, "random", bars)
    if options.daily and options.daily.exists():
        symbols = {}
        for row in csv.DictReader(options.daily.open()):
            symbols.setdefault(row["symbol"], []).append([units(row[key]) for key in ("high", "low", "close", "volume")])
        for symbol, bars in symbols.items():
            right += with_talib(options.program, np, ta, symbol, bars)
    else:
        say("SKIPPED daily bars: no --daily FILE")
    if options.lean and options.lean.is_dir():
        right += with_lean(options.program, np, options.lean)
    else:
        say("SKIPPED Lean's tables: no --lean FOLDER")
    say(f"{sum(right)} of {len(right)} equal")
    sys.exit(0 if all(right) else 1)


main()
