#!/usr/bin/env python3
"""Kills a page's program with -9 while people sign up, trade and change what is theirs, and looks for it all: people.py PROGRAM [--kills N].

Several clients at a time make accounts, log in, put and remove watchlists and settings, make tokens, and place and cancel orders on
paper; the program is killed at seeded moments and started again on the same file. After each kill everything that was acknowledged is there:
people log in with their last password, lists and settings are the acknowledged ones or those that were on their way, orders are in the
broker's records with their fills in the cash, and nothing half is there. SQLite finds the file whole.
"""
import argparse
import base64
import collections
import decimal
import hashlib
import json
import os
import random
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Doors"))

from served import PASSWORD, Client, Program, add_person, open_file  # noqa: E402

TRADERS = ["hannah", "otto", "carla", "emil"]
CONFIG = """
sources:
  ticks: {{ plugin: generator, symbols: 5, interval: 50ms, seed: 42 }}
processors:
  broker: {{ plugin: paper_broker, inputs: [ticks], path: {folder}/people.db, accounts: [{accounts}] }}
sinks:
  web:
    plugin: dashboard
    inputs: [ticks, broker.accounts, broker.positions, broker.orders, broker.fills]
    listen: 127.0.0.1:0
    accounts: open
    proxy: true
    file: {folder}/people.db
"""


class Book:
    """What one client was told, and what it asked last without having been told. One thread writes it; it is read when that has ended."""

    def __init__(self, name):
        self.name = name
        self.lists, self.settings = {}, {}
        self.orders, self.refused, self.cancelled = set(), set(), set()
        self.tokens, self.session, self.ended = {}, None, set()
        self.people = set()  # of a newcomer: the names that have signed up
        self.pending = None  # the request that nobody has answered


class Somebody(threading.Thread):
    """A client that goes on until its program is gone."""

    def __init__(self, port, seed, book, counts):
        super().__init__(daemon=True)
        self.port, self.rng, self.book, self.counts = port, random.Random(seed), book, counts
        self.fault = None

    def run(self):
        client = Client(self.port, limit=60, address=f"10.1.{self.rng.randrange(256)}.{self.rng.randrange(1, 255)}")
        try:
            self.begin(client)
            while True:
                self.step(client)
        except OSError:
            pass  # the kill
        except Exception as fault:
            # A cut answer is the kill too; anything else is a mistake.
            if type(fault).__name__ not in ("IncompleteRead", "RemoteDisconnected", "BadStatusLine", "CannotSendRequest", "ResponseNotReady"):
                self.fault = fault
        finally:
            client.close()

    def ask(self, client, what, method, path, body=None, statuses=(200, 201, 204)):
        """Asks, and notes that it was asked until it is answered."""
        self.book.pending = what
        answer = client.ask(method, path, body)
        assert answer.status in statuses, f"{what}: {answer}"
        self.book.pending = None
        self.counts[what[0] if answer.status < 400 else "refusals"] += 1
        return answer

    def begin(self, client):
        client.cookie = self.book.session
        if client.cookie is None:
            self.log_in(client)

    def log_in(self, client):
        gone = client.cookie
        client.cookie = self.ask(client, ("log-in",), "POST", "/api/login", {"name": self.book.name, "password": PASSWORD}).secret
        self.book.session = client.cookie
        if gone:
            self.book.ended.add(gone)

    def step(self, client):
        book, rng = self.book, self.rng
        kind = rng.choice(["list", "list", "list", "removal", "settings", "token", "order", "order", "order", "cancellation"])
        if rng.random() < 0.005:
            return self.log_in(client)
        if kind == "list":
            name, symbols = f"list{rng.randrange(8)}", [f"S{i}" for i in sorted(rng.sample(range(500), rng.choice([1, 20, 400])))]
            self.ask(client, ("list", name, symbols), "PUT", f"/api/watchlists/{name}", {"symbols": symbols})
            book.lists[name] = symbols
        elif kind == "removal" and book.lists:
            name = rng.choice(sorted(book.lists))
            self.ask(client, ("removal", name), "DELETE", f"/api/watchlists/{name}")
            del book.lists[name]
        elif kind == "settings":
            value = {"number": rng.randrange(10**9), "text": "x" * rng.choice([1, 100, 15_000])}
            self.ask(client, ("settings", value), "PUT", "/api/settings", value)
            book.settings = value
        elif kind == "token" and len(book.tokens) < 20:
            answer = self.ask(client, ("token",), "POST", "/api/tokens", {"name": f"t{rng.randrange(10**9)}", "scopes": ["read"]}).json
            book.tokens[answer["id"]] = answer["secret"]
        elif kind == "order":
            key = f"{book.name}-{rng.randrange(10**12)}"
            order = {"side": rng.choice(["buy", "sell"]), "symbol": rng.choice(["AAPL", "MSFT"]), "size": "1", "time": "gtc", "key": key}
            if rng.random() < 0.5:
                order.update(side="buy", price="0.01")  # stays open
            answer = self.ask(client, ("order", key), "POST", "/api/orders", order, (200, 422, 503))
            if answer.status != 503:  # the broker does not run yet, and has taken nothing
                (book.orders if answer.status == 200 else book.refused).add(key)
        elif kind == "cancellation" and book.orders:
            key = rng.choice(sorted(book.orders))
            answer = self.ask(client, ("cancellation", key), "DELETE", f"/api/orders/{key}", statuses=(200, 422, 503))
            if answer.status == 200:
                book.cancelled.add(key)


class Newcomer(Somebody):
    """Signs up under one new name after the other, and gives each account a list at once."""

    def begin(self, client):
        pass

    def step(self, client):
        name = f"n{self.rng.randrange(10**12)}"
        client.cookie, client.address = None, f"10.2.{self.rng.randrange(256)}.{self.rng.randrange(1, 255)}"
        client.cookie = self.ask(client, ("sign-up", name), "POST", "/api/signup", {"name": name, "password": PASSWORD}, (204,)).secret
        self.book.people.add(name)
        self.ask(client, ("first list", name), "PUT", "/api/watchlists/first", {"symbols": ["AAPL"]})
        self.book.lists[name] = ["AAPL"]


# MARK: What has to be there


def digest(secret):
    return hashlib.sha256(secret.encode()).digest()


def column(db, sql, *values):
    return [row[0] for row in db.execute(sql, values)]


def check(path, books):
    """Compares the file with what everybody was told, at one moment of the file."""
    with open_file(path) as db:
        db.execute("BEGIN")
        verdict = column(db, "PRAGMA integrity_check")
        assert verdict == ["ok"], verdict
        check_people(db, books)
        for book in books:
            if book.people or book.name is None:
                check_newcomers(db, book)
            else:
                check_somebody(db, book)
        check_money(db)
        db.execute("COMMIT")
    for book in books:
        book.pending = None


def check_people(db, books):
    """All that signed up, and nobody else; each account is whole, and nothing belongs to nobody."""
    found = set(column(db, "SELECT name FROM people"))
    known = set(TRADERS).union(*(book.people for book in books))
    asked = {book.pending[1] for book in books if book.pending and book.pending[0] == "sign-up"}
    assert known <= found, f"accounts are lost: {sorted(known - found)[:3]}"
    assert found <= known | asked, f"accounts that nobody made: {sorted(found - known - asked)[:3]}"
    for name, password, scopes, sessions in db.execute(
            "SELECT name, password, scopes, (SELECT count(*) FROM people_sessions WHERE person = id) FROM people"):
        assert password.count("$") == 5 and scopes == "read,trade" and (sessions or name in TRADERS), f"{name} is half an account"
    for table in ("sessions", "tokens", "watchlists", "settings"):
        strays = column(db, f"SELECT count(*) FROM people_{table} WHERE person NOT IN (SELECT id FROM people)")
        assert strays == [0], f"{table} that belong to nobody"


def check_newcomers(db, book):
    for name in book.people:
        symbols = column(db, "SELECT symbols FROM people_watchlists WHERE person = (SELECT id FROM people WHERE name = ?)", name)
        allowed = [["AAPL"]] if name in book.lists else [[], ["AAPL"]] if book.pending == ("first list", name) else [[]]
        assert symbols in allowed, f"the list of {name}: {symbols}"
        # The rest of this life's answers came with it.
        if symbols:
            book.lists[name] = symbols
    if book.pending and book.pending[0] == "sign-up" and column(db, "SELECT 1 FROM people WHERE name = ?", book.pending[1]):
        book.people.add(book.pending[1])


def check_somebody(db, book):
    check_lists(db, book)
    settings = [json.loads(text) for text in column(db, "SELECT value FROM people_settings WHERE person = (SELECT id FROM people WHERE name = ?)", book.name)]
    allowed = [[book.settings] if book.settings else []] + ([[book.pending[1]]] if book.pending and book.pending[0] == "settings" else [])
    assert settings in allowed, f"{book.name}'s settings: {str(settings)[:100]}"
    book.settings = settings[0] if settings else {}
    hashes = set(column(db, "SELECT hash FROM people_tokens"))
    assert all(digest(secret) in hashes for secret in book.tokens.values()), f"a token of {book.name} is lost"
    hashes = set(column(db, "SELECT hash FROM people_sessions"))
    assert not [secret for secret in book.ended if digest(secret) in hashes], f"a session of {book.name} that had ended goes on"
    if book.session and digest(book.session) not in hashes:
        # The log-in on its way has ended it.
        assert book.pending == ("log-in",), f"the session of {book.name} is lost"
        book.session = None
    check_orders(db, book)


def check_lists(db, book):
    """Each list is the acknowledged one or the one on its way; no other is there, and none is cut."""
    found = {name: symbols.split("\n") for name, symbols in db.execute(
        "SELECT name, symbols FROM people_watchlists WHERE person = (SELECT id FROM people WHERE name = ?)", (book.name,))}
    for name in set(found) | set(book.lists):
        allowed = [book.lists.get(name)]
        if book.pending and book.pending[:2] == ("list", name):
            allowed.append(book.pending[2])
        if book.pending == ("removal", name):
            allowed.append(None)
        assert found.get(name) in allowed, f"{book.name}'s {name}: {str(found.get(name))[:100]} instead of {str(allowed)[:200]}"
    book.lists = found


def check_orders(db, book):
    found = {key: is_open for key, is_open in db.execute("SELECT key, is_open FROM trading_orders WHERE account = ?", (book.name,))}
    asked = {book.pending[1]} if book.pending and book.pending[0] == "order" else set()
    assert book.orders <= set(found), f"orders of {book.name} are lost: {sorted(book.orders - set(found))[:3]}"
    strays = set(found) - book.orders - book.refused - asked
    assert not strays, f"orders of {book.name} that nobody placed: {sorted(strays)[:3]}"
    again = [key for key in book.cancelled if found[key]]
    assert not again, f"cancelled orders of {book.name} are open: {again[:3]}"
    book.orders |= asked & set(found)


def check_money(db):
    """The cash is the deposit and the fills, digit by digit; an order has what its fills have, and positions add up."""
    read = lambda text: json.loads(text, parse_float=decimal.Decimal, parse_int=decimal.Decimal)  # noqa: E731
    cash, positions, filled = collections.Counter(), collections.Counter(), collections.Counter()
    for account, text in db.execute("SELECT account, record FROM trading_fills"):
        fill = read(text)
        size = fill["quantity"] if fill["side"] == "buy" else -fill["quantity"]
        cash[account] -= fill["price"] * size + fill["fee"]
        positions[account, fill["symbol"]] += size
        filled[int(fill["order"])] += fill["quantity"]
    for account, text in db.execute("SELECT name, record FROM trading_accounts"):
        record = read(text)
        assert record["cash"] == record["deposits"] + cash[account], f"{account} has {record['cash']}, and {cash[account]} of fills"
    for account, symbol, text in db.execute("SELECT account, symbol, record FROM trading_positions"):
        record = read(text)
        assert record["quantity"] == positions.pop((account, symbol), 0), f"{account}'s {symbol}: {record}"
    assert not [size for size in positions.values() if size], f"positions are lost: {positions}"
    for number, text in db.execute("SELECT number, record FROM trading_orders"):
        assert read(text)["filled"] == filled[number], f"order {number} and its fills"


def check_password(path, name):
    """The stored password is the one that was sent, without the program."""
    with open_file(path) as db:
        _, rounds, size, parallel, salt, kept = column(db, "SELECT password FROM people WHERE name = ?", name)[0].split("$")
    made = hashlib.scrypt(PASSWORD.encode(), salt=base64.b64decode(salt), n=int(rounds), r=int(size), p=int(parallel), dklen=32, maxmem=1 << 27)
    assert made == base64.b64decode(kept), f"the password of {name}"


def check_page(port, books):
    """What the program says of them after its start: sessions go on, and everybody sees what is theirs."""
    for book in books:
        if not book.session:
            continue
        client = Client(port, cookie=book.session)
        lists = client.ask("GET", "/api/watchlists").json
        assert {each["name"]: each["symbols"] for each in lists} == book.lists, f"{book.name}'s lists on the page"
        assert client.ask("GET", "/api/settings").json == book.settings
        for secret in list(book.tokens.values())[:1]:
            assert Client(port, token=secret).ask("GET", "/api/session").json["user"] == {"name": book.name}


# MARK: Lives


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        accounts = ", ".join(f"{{ name: {name}, deposit: 100000000 }}" for name in TRADERS)
        program = Program(os.path.abspath(arguments.program), folder, CONFIG.format(folder=folder, accounts=accounts))
        try:
            live(program, os.path.join(folder, "people.db"), rng, arguments)
        except AssertionError:
            print(program.log[-2000:])
            raise
        finally:
            program.end()


def log_in(port, name, status=204):
    answer = Client(port, limit=120, address="10.3.0.1").ask("POST", "/api/login", {"name": name, "password": PASSWORD})
    assert answer.status == status, f"{name}: {answer}"
    return answer.secret


def wait_for_the_moment(kill, rng, counts, slow):
    """Returns when the program is to be killed: at any moment, while passwords are hashed, which takes `slow` seconds, or as one is stored."""
    if kill % 3 == 0:
        return time.sleep(rng.uniform(0.02, 1.5))
    if kill % 3 == 1:
        return time.sleep(rng.uniform(0.02, min(3 * slow, 7) + 0.5))
    before, limit = counts["sign-up"], time.monotonic() + 30 + 10 * slow
    while counts["sign-up"] == before and time.monotonic() < limit:
        time.sleep(0.001)
    time.sleep(rng.uniform(0, 0.01))


def live(program, path, rng, arguments):
    books = [Book(name) for name in TRADERS] + [Book(None), Book(None)]
    counts, cut, checked = collections.Counter(), collections.Counter(), set()
    program.start()
    for name in TRADERS:
        add_person(path, name)
        books[TRADERS.index(name)].session = log_in(program.port, name)
    begun = time.monotonic()
    log_in(program.port, "nobody", status=401)
    slow = time.monotonic() - begun
    for kill in range(arguments.kills):
        crowd = [(Newcomer if book.name is None else Somebody)(program.port, rng.random(), book, counts) for book in books]
        for client in crowd:
            client.start()
        wait_for_the_moment(kill, rng, counts, slow)
        assert program.lives, "the program has ended by itself"
        program.kill()
        for client in crowd:
            client.join(60)
            if client.fault:
                raise client.fault
        for book in books:
            if book.pending:
                cut[book.pending[0]] += 1
        program.start()
        check(path, books)
        check_page(program.port, books)
        for name in set().union(*(book.people for book in books)) - checked:
            check_password(path, name)
            checked.add(name)
        if (kill + 1) % 10 == 0:
            print(f"{kill + 1} kills: {counts.total()} requests acknowledged", flush=True)
    # Who has signed up logs in, by the program itself; of many some do.
    for name in rng.sample(sorted(checked), min(5, len(checked))):
        log_in(program.port, name)
    status = program.stop()
    assert status == 0 and "balanced: every event is accounted for" in program.log[-3000:], f"status {status}"
    print("acknowledged: " + ", ".join(f"{count} of {kind}" for kind, count in sorted(counts.items())))
    print("on their way at a kill: " + ", ".join(f"{count} of {kind}" for kind, count in sorted(cut.items())))
    with open_file(path) as db:
        (orders,), (fills,) = (column(db, f"SELECT count(*) FROM trading_{table}") for table in ("orders", "fills"))
    print(f"{arguments.kills} kills: {len(checked)} new accounts, {orders} orders, {fills} fills; nothing lost, nothing half")


if __name__ == "__main__":
    main()
