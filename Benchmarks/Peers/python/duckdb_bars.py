#!/usr/bin/env python3
"""Bars of a file of trades, worked out by DuckDB in whole numbers, in the form in which stockbus writes them.

usage: duckdb_bars.py TRADES.csv [--seconds 60] [--wait 0.2] [--conditions] [--digest]

TRADES.csv has the columns symbol, price and size and a first column with the time (ISO-8601, UTC), in the order in which the trades were
received; it has no late trades. Prices and sizes are read as text, so nothing is a floating-point number: sums are HUGEINTs of billionths
(turnover: of billionths of billionths), and the average price is rounded half to even by the remainder of a division.

All trades count for everything. With --conditions the column of this name decides what each counts for: it has the flags of Lean's
TradeConditionFlags in hexadecimal digits. Bars without a trade that counts for open and close are left out.

The output has every column of a bar. --digest prints the number of rows and the 64-bit FNV-1a hash of the text instead.
"""
import argparse
import sys

import duckdb

# Bits of the flags by what a trade with one of them does not count for.
NOTHING = 1 << 24 | 1 << 26  # official close and open
VOLUME_ONLY = sum(1 << bit for bit in (1, 2, 3, 10, 13, 18, 20, 22, 31))
NO_OPEN_OR_CLOSE = 1 << 9 | 1 << 14 | 1 << 25  # derivatively priced, out of sequence, prior reference price

QUERY = """
with written as (
  select row_number() over () as number, {time} as time, symbol, price, size, {flags} as flags from
    read_csv($file, header = true, all_varchar = true, parallel = false)
), trades as (
  select number, symbol,
    epoch_ns(cast(rtrim(time, 'Z') as timestamp_ns)) as ns,
    cast(cast(price as decimal(38, 9)) * 1000000000 as hugeint) as price,
    cast(cast(size as decimal(38, 9)) * 1000000000 as hugeint) as size,
    case when contains(price, '.') then length(split_part(price, '.', 2)) else 0 end as price_decimals,
    case when contains(size, '.') then length(split_part(size, '.', 2)) else 0 end as size_decimals,
    flags & {no_close} = 0 as has_close, flags & {no_high} = 0 as has_high
  from written where flags & {nothing} = 0
), numbered as (select *, min(number) over (partition by symbol) as first_came, max(ns) over () as last_ns from trades),
sums as (
  select symbol, ns // $length * $length as start, first_came, last_ns,
    arg_min(price, {{'t': ns, 'n': number}}) filter (has_close) as open, max(price) filter (has_high) as high,
    min(price) filter (has_high) as low, arg_max(price, {{'t': ns, 'n': number}}) filter (has_close) as close,
    cast(sum(size) as hugeint) as volume, cast(sum(price * size) as hugeint) as turnover, count(*) as trades,
    max(price_decimals) filter (has_high) as price_decimals, max(size_decimals) as size_decimals, bool_or(has_close) as is_priced
  from numbered group by symbol, start, first_came, last_ns
)
select *, turnover // volume as quotient, turnover % volume as rest from sums where is_priced order by start, first_came
"""


def decimal(raw, unit_decimals, at_least):
    """A whole number of units of 10^-unit_decimals, as text."""
    sign, digits = ("-" if raw < 0 else ""), str(abs(raw)).rjust(unit_decimals + 1, "0")
    whole, rest = digits[:-unit_decimals], digits[-unit_decimals:].rstrip("0").ljust(at_least, "0")
    return sign + whole + ("." + rest if rest else "")


def moment(ns):
    """ISO-8601 with as many decimals of a second as needed, in groups of three."""
    from datetime import datetime, timezone

    seconds, rest = divmod(ns, 1_000_000_000)
    text = datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    digits = str(rest).rjust(9, "0")
    while digits.endswith("000"):
        digits = digits[:-3]
    return text + ("." + digits if digits else "") + "Z"


def length_text(seconds):
    for name, unit in (("w", 604_800), ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)):
        if seconds % unit == 0:
            return f"{seconds // unit}{name}"
    raise ValueError(seconds)


def bars(file, seconds, wait_ns, has_conditions):
    with open(file) as head:
        time = head.readline().split(",")[0].strip()
    length = seconds * 1_000_000_000
    query = QUERY.format(
        time=time, flags="cast('0x' || condition as bigint)" if has_conditions else "0::bigint", nothing=NOTHING,
        no_high=NOTHING | VOLUME_ONLY, no_close=NOTHING | VOLUME_ONLY | NO_OPEN_OR_CLOSE)
    rows = duckdb.sql(query, params={"file": file, "length": length}).fetchall()
    yield "symbol,length,open,high,low,close,volume,vwap,turnover,count,session,status,revision,time,received"
    for (symbol, start, _, last, open_, high, low, close, volume, turnover, count, decimals, size_decimals, _, quotient, rest) in rows:
        twice = 2 * rest
        vwap = quotient + (1 if twice > volume or twice == volume and quotient % 2 else 0)
        due = start + length + wait_ns
        # What is not due before the last trade came is partial, and was sent when that came.
        is_partial = due >= last
        prices = [decimal(price, 9, decimals) for price in (open_, high, low, close)]
        yield ",".join(
            [symbol, length_text(seconds), *prices, decimal(volume, 9, size_decimals), decimal(vwap, 9, 0), decimal(turnover, 18, 0)]
            + [str(count), "unknown", "partial" if is_partial else "complete", "0", moment(start), moment(last if is_partial else due)])


def main():
    options = argparse.ArgumentParser()
    options.add_argument("file")
    options.add_argument("--seconds", type=int, default=60)
    options.add_argument("--wait", default="0.2")
    options.add_argument("--conditions", action="store_true")
    options.add_argument("--digest", action="store_true")
    options = options.parse_args()
    whole, _, part = options.wait.partition(".")
    wait_ns = int(whole) * 1_000_000_000 + int(part.ljust(9, "0"))
    text = "".join(line + "\n" for line in bars(options.file, options.seconds, wait_ns, options.conditions))
    if not options.digest:
        sys.stdout.write(text)
        return
    digest = 0xCBF2_9CE4_8422_2325
    for byte in text.encode():
        digest = (digest ^ byte) * 0x100_0000_01B3 % (1 << 64)
    print(text.count("\n") - 1, f"{digest:016x}")


if __name__ == "__main__":
    main()
