"""Orders of symbols: filter, words, kind, list, sort; computed from nothing each time."""
import re

from market import units

FIELDS = {"price", "change", "percent", "volume", "bid", "ask", "rank"}
TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?)%?|(>=|<=|==|!=|>|<)|(\(|\))|([A-Za-z_][\w.\-]*)|(\S))")


class FilterError(Exception):
    def __init__(self, message, at):
        super().__init__(message)
        self.at = at


def parse(expression):
    """Conditions on one field with a number, joined by `and`, `or`, `not` and brackets: the part of the language that the tests need."""
    tokens, at = [], 0
    while at < len(expression.rstrip()):
        match = TOKEN.match(expression, at)
        kind = next(index for index in range(1, 6) if match.group(index) is not None)
        tokens.append((kind, match.group(kind), match.start(kind)))
        at = match.end()
    tokens.append((0, "", len(expression)))
    position = 0

    def take():
        nonlocal position
        position += 1
        return tokens[position - 1]

    def either():
        left = both()
        while tokens[position][1] == "or":
            take()
            left = (lambda a, b: lambda each: a(each) or b(each))(left, both())
        return left

    def both():
        left = negation()
        while tokens[position][1] == "and":
            take()
            left = (lambda a, b: lambda each: a(each) and b(each))(left, negation())
        return left

    def negation():
        if tokens[position][1] == "not":
            take()
            inner = negation()
            return lambda each: not inner(each)
        if tokens[position][1] == "(":
            take()
            inner = either()
            if take()[1] != ")":
                raise FilterError("expected ')'", tokens[position - 1][2])
            return inner
        return comparison()

    def comparison():
        kind, field, place = take()
        if kind != 4:
            raise FilterError("expected a field" if kind else "the condition ends too early", place)
        if field not in FIELDS:
            raise FilterError(f"unknown field '{field}'; there are {', '.join(sorted(FIELDS))}", place)
        kind, sign, place = take()
        if kind != 2:
            raise FilterError("expected a comparison such as >", place)
        negative = tokens[position][1] == "-"
        if negative:
            take()
        kind, number, place = take()
        if kind != 1:
            raise FilterError("expected a number", place)
        value = int(number) if field == "rank" else units(number)
        value = -value if negative else value
        tests = {
            ">": lambda x: x > value, "<": lambda x: x < value, ">=": lambda x: x >= value, "<=": lambda x: x <= value,
            "==": lambda x: x == value, "!=": lambda x: x != value,
        }
        return lambda each: getattr(each, field) is not None and tests[sign](getattr(each, field))

    test = either()
    if tokens[position][0] != 0:
        raise FilterError(f"unexpected '{tokens[position][1]}'", tokens[position][2])
    return test


def words_match(each, text):
    words = re.findall(r"[^\s.\-]+|\S+", f"{each.symbol} {each.name} {each.industry} {each.kind}".lower()) + [each.symbol.lower()]
    return all(any(word.startswith(part) for word in words) for part in text.lower().split())


def order(market, view):
    """The instruments of a view, in its order."""
    if "symbols" in view:
        found = [market.by_symbol[symbol] for symbol in view["symbols"][:1000] if symbol in market.by_symbol]
    else:
        found = sorted(market.instruments, key=lambda each: (each.rank == 0, each.rank))
    if view.get("kind"):
        found = [each for each in found if each.kind == view["kind"]]
    if view.get("find"):
        found = [each for each in found if words_match(each, view["find"])]
    if view.get("filter"):
        test = parse(view["filter"])
        found = [each for each in found if test(each)]
    key = view.get("sort")
    if key:
        down = bool(view.get("descending"))
        value = lambda each: getattr(each, key)  # noqa: E731
        known = sorted((each for each in found if value(each) is not None), key=value, reverse=down)
        found = known + [each for each in found if value(each) is None]
    return found


def search(market, text, limit):
    """Best first: the symbol, its beginning, words of the name, the industry."""
    low = text.lower()

    def grade(each):
        if each.symbol.lower() == low:
            return 0
        if each.symbol.lower().startswith(low):
            return 1
        if any(word.startswith(low) for word in each.name.lower().split()):
            return 2
        return 3 if each.industry.lower().startswith(low) or each.kind.startswith(low) else 4

    graded = sorted((grade(each), each.number) for each in market.instruments)
    return [market.instruments[number] for grade_, number in graded if grade_ < 4][:limit]
