"""The binary frame of Documentation/maintain/formats.md, written down once more: field by field, without a thought for speed."""

PRICE, REFERENCE, VOLUME, QUOTE, RANGE, RANK, SHAPE, NAME = 1, 2, 4, 8, 16, 32, 64, 128
STALE, HALTED = 1, 2


def varint(value):
    assert 0 <= value < 2**64
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def svarint(value):
    return varint(2 * value if value >= 0 else -2 * value - 1)


def whole(number, decimals):
    """Billionths as a whole number of 10**-decimals."""
    mantissa, rest = divmod(number, 10 ** (9 - decimals))
    assert rest == 0, "the decimals are as many as any of the symbol's numbers needs"
    return svarint(mantissa)


def optional(value):
    """A value of a column, or None."""
    return varint(0 if value is None else 1 + (2 * value if value >= 0 else -2 * value - 1))


def row(each, last, fields, time, columns=None):
    """`last`: the number of the row before in this pane; `time` in ms; `columns`: the values beside the row, [] if they are known."""
    out = svarint(each.number - last) + bytes([fields]) + varint(each.updates) + svarint(time - each.time // 10**6)
    if fields & SHAPE:
        out += bytes([each.decimals, each.size_decimals, each.marks])
    if fields & NAME:
        name = (each.symbol + ("\t" + each.name if each.name else "")).encode()
        out += varint(len(name)) + name
    if fields & PRICE:
        out += whole(each.price, each.decimals)
    if fields & REFERENCE:
        out += whole(each.reference, each.decimals)
    if fields & VOLUME:
        out += whole(each.volume, each.size_decimals)
    if fields & QUOTE:
        out += whole(each.bid or 0, each.decimals) + whole(each.ask or 0, each.decimals)
    if fields & RANGE:
        out += whole(each.low, each.decimals) + whole(each.high, each.decimals)
    if fields & RANK:
        out += varint(each.rank)
    if columns is not None:
        out += varint(len(columns)) + b"".join(optional(value) for value in columns)
    return out


def pane(index, total, first, order, rows, time, columns=None):
    """`order`: instruments from place `first` on, or None; `rows`: pairs of instrument and its fields; `columns`: the values of an instrument."""
    out = bytes([index, 1 if order is not None else 0]) + varint(total) + varint(first)
    if order is not None:
        out += varint(len(order))
        last = 0
        for each in order:
            out += svarint(each.number - last)
            last = each.number
    out += varint(len(rows))
    last = 0
    for each, fields in rows:
        out += row(each, last, fields, time, columns(each) if columns else None)
        last = each.number
    return out


def frame(number, time, panes, text_follows, has_columns=False):
    return bytes([1, (1 if text_follows else 0) | (2 if has_columns else 0)]) + varint(number) + varint(time) + varint(len(panes)) + b"".join(panes)
