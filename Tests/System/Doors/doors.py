#!/usr/bin/env python3
"""Attacks the dashboard from outside, where a browser, a program or somebody with a bare socket stands: doors.py PROGRAM [--only PATTERN].

The real program serves a page with accounts on loopback. Every route of Documentation/use/openapi.yaml is tried by nobody, by who was somebody,
by somebody else and by who may too little; then come other sites, other names, sockets, bytes that are no requests, and slowness. Each
refusal has its documented status and is JSON without anything of the machine's inside; at the end the program lives, and its ledger is
balanced. No test asserts which of two things is faster; what log-ins took is only reported.
"""
import argparse
import os
import random
import re
import shutil
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import traceback

from served import DAY, PASSWORD, Client, Live, Program, add_person, add_session, answers, connect, open_file, read_all, send_raw

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
SKIPPED = 77
CLIENTS = 40  # so that the server has 104 connections, soon taken

CONFIG = """
sources:
  ticks: {{ plugin: generator, symbols: 5, interval: 500ms, seed: 42 }}
processors:
  ranked: {{ plugin: sorting_feed, inputs: [ticks], by: price, order: descending }}
  broker: {{ plugin: paper_broker, inputs: [ticks], path: {folder}/people.db, accounts: [{{ name: hannah, deposit: 100000 }}, {{ name: otto, deposit: 100000 }}] }}
sinks:
  web:
    plugin: dashboard
    inputs: [ranked, connections, broker.accounts, broker.positions, broker.orders, broker.fills]
    listen: 127.0.0.1:0
    clients: {clients}
    file: {folder}/people.db
    {options}
  alerts: {{ plugin: notification_dispatcher, inputs: [ticks], rules: [{{ name: big, symbol: AAPL, rises_by: 50%, window: 1m }}], channels: [{{ file: {{ path: {folder}/alerts.txt }} }}] }}
"""

POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; "
          "form-action 'none'; frame-ancestors 'none'")
HEADERS = {
    "content-security-policy": POLICY, "x-content-type-options": "nosniff", "x-frame-options": "DENY", "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin",
}
# What no answer may have: places in the sources or on the disk, words of the database, traces.
PLACES = "|".join(re.escape(place) for place in {os.path.abspath(ROOT), os.path.expanduser("~"), tempfile.gettempdir()} if len(place) > 1)
INSIDE = re.compile(r"\.swift|Fatal|0x[0-9a-f]{6}|sqlite|SELECT |INSERT |/usr/|/etc/|scrypt\$|" + PLACES, re.IGNORECASE)
ORDER = {"side": "buy", "symbol": "AAPL", "size": "1", "price": "1.00", "time": "gtc"}

# A proper body of each operation that takes one.
BODIES = {
    "POST /api/orders": ORDER, "POST /api/orders/preview": ORDER, "PUT /api/orders/{key}": {"price": "2.00"},
    "POST /api/alerts": {"symbol": "AAPL", "crosses_above": "1000000"}, "PUT /api/alerts/{name}": {"muted": True},
    "POST /api/components/{id}/commands": {"line": "show in hannah"}, "POST /api/signup": {"name": "1", "password": ""},
    "POST /api/login": {"name": "hannah", "password": "wrong words here"}, "POST /api/logout": {}, "PUT /api/password": {"old": "a", "new": "b"},
    "DELETE /api/account": {"password": "wrong words here"}, "POST /api/tokens": {"name": "t", "scopes": ["read"]},
    "PUT /api/watchlists/{name}": {"symbols": ["AAPL"]}, "PUT /api/settings": {"theme": "dark"},
}
NAMES = {"{symbol}": "AAPL", "{key}": "1", "{name}": "foreign", "{id}": "1"}


class Operation:
    def __init__(self, method, path, is_open, tag):
        self.method, self.name, self.is_open = method, f"{method} {path}", is_open
        self.path = re.sub(r"\{\w+\}", lambda found: NAMES[found.group()], path)
        self.body = BODIES.get(self.name)
        self.is_change = method in ("POST", "PUT", "DELETE")
        # dashboard.md, "REST": orders need the right to trade, the run's rules and commands that to control; new rules are one's own.
        if self.name == "POST /api/alerts":
            tag = None
        self.scope = "read" if not self.is_change else {"trading": "trade", "alerts": "control", "run": "control"}.get(tag, "read")


def documented():
    """The operations of openapi.yaml: paths are at two blanks, methods at four, what belongs to them at six."""
    found, path, method = [], None, None
    with open(os.path.join(ROOT, "Documentation/use/openapi.yaml")) as lines:
        for line in lines:
            if re.match(r"  /\S+:$", line):
                path = line.strip()[:-1]
            elif re.match(r"    (get|put|post|delete|patch|head|options):$", line):
                method = line.strip()[:-1].upper()
                found.append([method, path, False, None])
            elif line.startswith("      tags: [") and found:
                found[-1][3] = line.split("[")[1].split("]")[0]
            elif line == "      security: []\n":
                found[-1][2] = True
            elif re.match(r"components:", line):
                break
    return [Operation(*parts) for parts in found]


OPERATIONS = documented()


class Doors:
    """A program that is attacked, its people, and what everybody's answers have to be like."""

    def __init__(self, program, folder, options, attempts=3):
        os.makedirs(folder, exist_ok=True)
        self.folder, self.file, self.attempts = folder, os.path.join(folder, "people.db"), attempts
        self.program = Program(program, folder, CONFIG.format(folder=folder, clients=CLIENTS, options=options)).start()
        self.port, self.rng, self.secrets = self.program.port, random.Random(5), [PASSWORD]
        self.origin = f"http://127.0.0.1:{self.port}"

    def address(self):
        """An address that nobody has used: the program believes the proxy, which is everybody on this machine."""
        return f"10.{self.rng.randrange(256)}.{self.rng.randrange(256)}.{self.rng.randrange(1, 255)}"

    def person(self, name, scopes="read,trade"):
        add_person(self.file, name, scopes)

    def session(self, name, **times):
        secret = add_session(self.file, name, address="127.0.0.1", **times)
        self.secrets.append(secret)
        return secret

    def client(self, name=None, **options):
        return Client(self.port, cookie=self.session(name) if name else None, **options)

    def token(self, name, *scopes):
        answer = self.client(name).ask("POST", "/api/tokens", {"name": "test", "scopes": scopes})
        assert answer.status == 201, answer
        self.secrets.append(answer.json["secret"])
        return answer.json["id"], answer.json["secret"]

    def raw(self, text, limit=20):
        """The answers to bytes; each is as every answer has to be."""
        found = answers(send_raw(self.port, text if isinstance(text, bytes) else text.encode("latin-1"), limit))
        for answer in found:
            proper(answer, self.secrets)
        return found

    def head(self, start="GET /api/session HTTP/1.1", *fields):
        return "\r\n".join([start, f"Host: 127.0.0.1:{self.port}", *fields]) + "\r\n\r\n"


def proper(answer, secrets=()):
    """What holds for every answer, whatever was asked."""
    for name, value in HEADERS.items():
        assert answer.field(name) == value, f"{name}: {answer.field(name)} in {answer}"
    for name in ("server", "x-powered-by", "access-control-allow-origin", "access-control-allow-credentials"):
        assert answer.field(name) is None, f"{name}: {answer.field(name)}"
    if (answer.field("content-type") or "").startswith("application/json"):
        assert answer.field("cache-control") == "no-store", answer.fields
    if answer.status >= 400:
        assert answer.field("content-type") == "application/json", answer.fields
        if "errmsg" in answer.json:  # as charting programs want it
            assert set(answer.json) == {"s", "errmsg"} and answer.json["s"] == "error" and answer.json["errmsg"], answer
        else:
            error = answer.json["error"]
            assert set(answer.json) == {"error"} and set(error) == {"code", "message"} and error["code"] and error["message"], answer
        assert not INSIDE.search(answer.text), answer
        for secret in secrets:
            assert secret not in answer.text, f"a secret in {answer}"
    return answer


def refused(answer, status, code=None, secrets=()):
    statuses = status if isinstance(status, tuple) else (status,)
    assert answer.status in statuses, f"{answer.status} instead of {status}: {answer}"
    assert code is None or answer.code == code, f"{answer.code} instead of {code}: {answer}"
    return proper(answer, secrets)


# MARK: Who is it


def test_each_operation_of_the_document_has_a_body_and_an_answer(doors):
    assert len(OPERATIONS) >= 29, len(OPERATIONS)
    for operation in OPERATIONS:
        assert (operation.body is not None) == (operation.method in ("POST", "PUT") or operation.name == "DELETE /api/account"), operation.name
        answer = proper(doors.client("carla").ask(operation.method, operation.path, operation.body), doors.secrets)
        assert answer.status < 500 and answer.status not in (405, 501) and answer.code != "not_found", f"{operation.name}: {answer}"


def test_nobody_gets_nothing(doors):
    for operation in OPERATIONS:
        answer = doors.client().ask(operation.method, operation.path, operation.body)
        if operation.is_open:
            assert proper(answer).status == {"/api/session": 200, "/api/signup": 400, "/api/login": 401}[operation.path], answer
        else:
            refused(answer, 401, "session")
            assert answer.field("www-authenticate") == "Bearer"
    session = doors.client().ask("GET", "/api/session").json
    assert session["user"] is None and session["can"] == [], session
    for path in ("/api", "/api/", "/api/people", "/api/session/x", "/live/x", "/page", "/page/"):
        refused(doors.client().ask("GET", path), 404, "not_found")


def test_who_was_somebody_is_nobody(doors):
    gone = {}
    gone["made up"] = dict(cookie="A" * 43)
    gone["too long ago"] = dict(cookie=doors.session("hannah", age=31 * DAY))
    gone["too long not seen"] = dict(cookie=doors.session("hannah", age=8 * DAY, unseen=8 * DAY))
    gone["empty"] = dict(cookie="")
    gone["a hash"] = dict(cookie=sqlite_text(doors, "SELECT hex(hash) FROM people_sessions LIMIT 1"))
    gone["two of one name"] = dict(cookie=doors.session("hannah") + "; stockbus=" + doors.session("hannah"))
    # Logged out, and everywhere.
    client = doors.client("hannah")
    assert client.ask("POST", "/api/logout", {}).status == 204
    gone["logged out"] = dict(cookie=client.cookie)
    other, client = doors.client("otto"), doors.client("otto")
    assert client.ask("POST", "/api/logout", {"everywhere": True}).status == 204
    gone["logged out elsewhere"] = dict(cookie=other.cookie)
    # A new password ends all sessions, that of the request too, and all tokens.
    doors.person("petra")
    other, client, (_, secret) = doors.client("petra"), doors.client("petra"), doors.token("petra", "read")
    answer = client.ask("PUT", "/api/password", {"old": PASSWORD, "new": "five other plain words"})
    assert answer.status == 204 and answer.secret not in (client.cookie, other.cookie), answer
    doors.secrets.append(answer.secret)
    gone["before the new password"], gone["of the new password"] = dict(cookie=other.cookie), dict(cookie=client.cookie)
    gone["a token before the new password"] = dict(token=secret)
    assert Client(doors.port, cookie=answer.secret).ask("GET", "/api/watchlists").status == 200
    # Removed tokens, and those of who is gone.
    number, secret = doors.token("hannah", "read")
    assert doors.client("hannah").ask("DELETE", f"/api/tokens/{number}").status == 204
    gone["a removed token"] = dict(token=secret)
    doors.person("gerd")
    client, (_, secret) = doors.client("gerd"), doors.token("gerd", "read", "trade")
    assert client.ask("DELETE", "/api/account", {"password": PASSWORD}).status == 204
    gone["a token of nobody"], gone["a session of nobody"] = dict(token=secret), dict(cookie=client.cookie)
    gone["a session as a token"] = dict(token=doors.session("hannah"))
    gone["a token as a session"] = dict(cookie=doors.token("hannah", "read")[1])
    for operation in OPERATIONS:
        for why, proof in gone.items():
            if operation.is_open:
                continue
            answer = Client(doors.port, **proof).ask(operation.method, operation.path, operation.body)
            assert answer.status == 401, f"{why}, {operation.name}: {answer}"
            refused(answer, 401, "session", doors.secrets)
    # A wrong token is not replaced by the cookie beside it.
    refused(Client(doors.port, cookie=doors.session("hannah"), token="A" * 43).ask("GET", "/api/portfolio"), 401, "session")
    refused(doors.client().ask("GET", "/api/portfolio", fields={"Authorization": "Basic aGFubmFoOmZvdXI="}), 401, "session")
    # Nothing of a secret counts in an address.
    refused(doors.client().ask("GET", f"/api/portfolio?token={doors.token('hannah', 'read')[1]}&stockbus={doors.session('hannah')}"), 401)


def sqlite_text(doors, sql, *values):
    with open_file(doors.file) as db:
        return db.execute(sql, values).fetchone()[0]


def test_who_may_too_little_does_nothing(doors):
    ranks = {"read": ["read"], "trade": ["read", "trade"], "control": ["read", "trade", "control"]}
    for name, scopes in (("ralf", ["read"]), ("hannah", ["read", "trade"]), ("carla", ["read", "trade", "control"])):
        proofs = [dict(cookie=doors.session(name))] + [dict(token=doors.token(name, *ranks[scope])[1]) for scope in scopes]
        allowed = [scopes] + [ranks[scope] for scope in scopes]
        for proof, may in zip(proofs, allowed):
            for operation in OPERATIONS:
                # A token that may only read changes nothing, not even what is its person's own.
                is_reading = "token" in proof and may == ["read"]
                if operation.is_open or operation.scope in may and not (is_reading and operation.is_change):
                    continue
                refused(Client(doors.port, **proof).ask(operation.method, operation.path, operation.body), 403, "scope", doors.secrets)
    # A token that may not even read.
    _, trader = doors.token("hannah", "trade")
    refused(Client(doors.port, token=trader).ask("GET", "/api/portfolio"), 403, "scope")
    # No token makes, removes or ends what would outlive it.
    number, token = doors.token("carla", "read", "trade", "control")
    program = Client(doors.port, token=token)
    refused(program.ask("POST", "/api/tokens", {"name": "more", "scopes": ["read"]}), 403, "forbidden")
    refused(program.ask("DELETE", f"/api/tokens/{number}"), 403, "forbidden")
    refused(program.ask("PUT", "/api/password", {"old": PASSWORD, "new": "five other plain words"}), 403, "forbidden")
    refused(program.ask("DELETE", "/api/account", {"password": PASSWORD}), 403, "forbidden")
    # Nobody gets more by asking for it.
    refused(doors.client("hannah").ask("POST", "/api/tokens", {"name": "more", "scopes": ["read", "control"]}), 403, "forbidden")
    refused(doors.client("hannah").ask("POST", "/api/tokens", {"name": "none", "scopes": []}), 403, "forbidden")
    refused(doors.client("hannah").ask("POST", "/api/tokens", {"name": "odd", "scopes": ["admin"]}), 400, "malformed")
    answer = doors.client("hannah").ask("PUT", "/api/settings", {"scopes": ["control"], "can": ["control"], "name": "carla"})
    assert answer.status == 204 and doors.client("hannah").ask("GET", "/api/session").json["can"] == ["trade"], answer
    # Rights that are taken away are gone at the next request.
    doors.person("vera", "read,trade")
    client, (_, token) = doors.client("vera"), doors.token("vera", "read", "trade")
    with open_file(doors.file) as db:
        db.execute("UPDATE people SET scopes = 'read' WHERE name = 'vera'")
    for proof in (client, Client(doors.port, token=token)):
        refused(proof.ask("POST", "/api/orders", ORDER), 403, "scope")


def test_what_is_somebody_elses_is_not_found(doors):
    hannah, otto = doors.client("hannah"), doors.client("otto")
    assert hannah.ask("PUT", "/api/watchlists/mine", {"symbols": ["AAPL"]}).status == 204
    assert hannah.ask("PUT", "/api/settings", {"own": "only mine"}).status == 204
    number, token = doors.token("hannah", "read")
    placed = hannah.ask("POST", "/api/orders", {**ORDER, "key": "own-1"})
    assert placed.status == 200, placed
    # The portfolio hears of the order over the bus, a moment after the answer.
    deadline = time.monotonic() + 60
    while True:
        before = hannah.ask("GET", "/api/portfolio").json["orders"]
        order = next((each["number"] for each in before if each["key"] == "own-1"), None)
        if order is not None:
            break
        assert time.monotonic() < deadline, "the order does not come"
        time.sleep(0.05)
    # Another person's list, token, order and account, by every name that they have.
    refused(otto.ask("DELETE", "/api/watchlists/mine"), 404, "unknown")
    refused(otto.ask("DELETE", f"/api/tokens/{number}"), 404, "unknown")
    for name in ("own-1", order, "own-1%20in%20hannah", f"{order}%20in%20hannah", "all", "*", "own-1%09in%09hannah"):
        for account, status in (("", (400, 404, 422)), ("?account=hannah", (400, 403))):
            refused(otto.ask("DELETE", f"/api/orders/{name}{account}"), status)
        refused(otto.ask("PUT", f"/api/orders/{name}", {"price": "2.00"}), (400, 422))
        refused(otto.ask("PUT", f"/api/orders/{name}", {"price": "2.00", "account": "hannah"}), (400, 403))
    for account in ("hannah", "HANNAH", "hannah ", " hannah", "in hannah"):
        for path in ("/api/orders", "/api/orders/preview"):
            refused(otto.ask("POST", path, {**ORDER, "account": account}), 403, "foreign_account")
    # Words that would name an account, in every member that becomes a part of a command.
    for member in ("symbol", "size", "price", "stop", "trail", "time", "key"):
        for words in ("in", "in hannah", "1 in hannah", "AAPL 1 in hannah", "day in hannah", "in\thannah", "in\nhannah", "1\nbuy AAPL 1 in hannah"):
            answer = otto.ask("POST", "/api/orders", {**ORDER, "key": None, member: words})
            assert answer.status in (200, 400, 422), answer
    assert hannah.ask("GET", "/api/portfolio").json["orders"] == before
    # What otto sees has nothing of hannah's.
    seen = [otto.ask("GET", path) for path in ("/api/watchlists", "/api/settings", "/api/tokens", "/api/portfolio", "/api/export")]
    for answer in seen:
        # A symbol of otto's own orders may have her name in it.
        assert answer.status == 200 and not re.search('"hannah"|only mine|own-1', answer.text), answer
    portfolio = otto.ask("GET", "/api/portfolio").json
    assert {each["account"] for kind in portfolio.values() for each in kind} <= {"otto"}, portfolio
    live = Live(doors.port, otto.cookie).hello()
    live.say(live.frame(b'{"op":"ready","frame":0}'))
    said = live.text()
    live.close()
    assert '"account":"hannah"' not in said and "only mine" not in said, said
    assert hannah.ask("GET", "/api/watchlists").json == [{"name": "mine", "symbols": ["AAPL"]}]
    assert hannah.ask("DELETE", "/api/orders/own-1").status == 200


# MARK: Other sites, other names


def test_other_sites_change_nothing(doors):
    client = doors.client("carla")
    foreign = [
        {"Origin": None}, {"Origin": "https://evil.example"}, {"Origin": "null"}, {"Origin": f"http://127.0.0.1:{doors.port + 1}"},
        {"Origin": f"https://127.0.0.1:{doors.port}"}, {"Origin": f"http://127.0.0.1:{doors.port}.evil.example"},
        {"Origin": f"http://localhost:{doors.port}"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"},
        {"Origin": None, "Sec-Fetch-Site": "none"}, {"Origin": None, "Referer": doors.origin + "/"},
    ]
    forms = ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", "text/plain; application/json", "", "application/jsonx"]
    for operation in OPERATIONS:
        if not operation.is_change:
            continue
        for fields in foreign:
            answer = client.ask(operation.method, operation.path, operation.body, fields)
            assert answer.status == 403 and answer.code == "foreign_origin", f"{operation.name} {fields}: {answer}"
            proper(answer)
        if operation.body is not None:
            for form in forms:
                refused(client.ask(operation.method, operation.path, operation.body, {"Content-Type": form}), 415, "content_type")
    # Neither is anything read through a browser.
    for operation in OPERATIONS:
        if operation.is_change:
            continue
        for fields in ({"Origin": "https://evil.example"}, {"Origin": None, "Sec-Fetch-Site": "cross-site"}, {"Origin": None, "Sec-Fetch-Site": "same-site"}):
            refused(client.ask(operation.method, operation.path, fields=fields), 403, "foreign_origin")
    # Other methods in place of the one that is guarded.
    for fields in ({"X-HTTP-Method-Override": "DELETE"}, {"X-Method-Override": "PUT"}):
        assert client.ask("GET", "/api/watchlists/foreign?_method=DELETE", fields=fields).status == 405
    assert client.ask("GET", "/api/session").json["user"] == {"name": "carla"}


def test_every_page_file_and_error_has_the_headers_of_a_page_in_nobodys_frame(doors):
    index = proper(doors.client().ask("GET", "/"))
    assert index.status == 200 and index.field("content-type") == "text/html; charset=utf-8"
    assert not re.search(r"<script(?![^>]*\ssrc=)|\son\w+=|style=|javascript:|https?://", index.text), "something inline, or from elsewhere"
    files = set(re.findall(r'(?:src|href)="(/page/[^"]+)"', index.text))
    assert len(files) > 20, files
    for path in sorted(files):
        answer = proper(doors.client().ask("GET", path))
        assert answer.status == 200 and answer.field("etag") and "charset=utf-8" in answer.field("content-type") or path.endswith(".svg"), path
    for path in ("/symbol/AAPL", "/symbol/%3Cscript%3E", "/watchlists", "/watchlists/x", "/movers", "/crypto", "/portfolio", "/alerts", "/graph",
                 "/settings", "/account", "/login", "/signup"):
        answer = proper(doors.client().ask("GET", path))
        assert answer.status == 200 and answer.body == index.body, path
    assert proper(doors.client().ask("HEAD", "/")).body == b""
    assert proper(doors.client().ask("GET", "/", fields={"If-None-Match": index.field("etag")})).status == 304
    # Links of other sites may lead to pages, and to nothing else.
    assert doors.client().ask("GET", "/symbol/AAPL", fields={"Origin": None, "Sec-Fetch-Site": "cross-site"}).status == 200
    for status, text in ((404, doors.head("GET /nothing HTTP/1.1")), (405, doors.head("PUT / HTTP/1.1", "Content-Length: 0")), (400, "nonsense\r\n\r\n"),
                         (421, "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"), (431, doors.head("GET / HTTP/1.1", "A: " + "a" * 20_000)),
                         (501, doors.head("TRACE / HTTP/1.1")), (505, "GET / HTTP/2.0\r\nHost: a\r\n\r\n"), (413, doors.head("POST /api/login HTTP/1.1", "Content-Length: 70000"))):
        found = doors.raw(text.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1) if status in (404, 405, 421) else text)
        assert [answer.status for answer in found] == [status], f"{text[:40]}: {found}"


def test_a_page_of_another_name_is_refused(doors):
    for host in ("evil.example", f"evil.example:{doors.port}", "127.0.0.1.evil.example", "localhost.evil.example", "0.0.0.0", "2130706433", "127.1", "",
                 f"127.0.0.1:{doors.port}@evil.example", "[::1].evil.example", "[::1", "localhost:", "localhost:port", "localhost.", "stocks.example.org.evil.example"):
        for path in ("/", "/api/session", "/page/app.js"):
            answer = doors.client("hannah").ask("GET", path, fields={"Host": host, "Origin": f"http://{host}"})
            if host == "localhost:":  # an empty port is allowed (RFC 3986, section 3.2.3)
                assert answer.status == 200 or answer.status == 421, answer
                continue
            refused(answer, (400, 421))
    for host in (f"localhost:{doors.port}", "LOCALHOST", "[::1]", "stocks.example.org", "stocks.example.org:8443"):
        assert proper(doors.client().ask("GET", "/", fields={"Host": host, "Origin": None})).status == 200, host
    # The target's authority counts, as for every server behind a proxy; a second Host is refused.
    refused(doors.raw(f"GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")[0], 421, "host")
    refused(doors.raw("GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n")[0], 400)
    refused(doors.raw("GET / HTTP/1.1\r\n\r\n")[0], 400)
    answer = doors.client().ask("GET", "/", fields={"X-Forwarded-Host": "evil.example", "Forwarded": "host=evil.example"})
    assert answer.status == 200 and "evil.example" not in answer.text + str(answer.fields)


# MARK: WebSockets


def test_a_socket_opens_for_the_own_page_of_somebody_only(doors):
    cookie = doors.session("hannah")

    def refusal(status, code, cookie=cookie, **fields):
        live = Live(doors.port, cookie, {name.replace("_", "-"): value for name, value in fields.items()})
        assert live.status == status, f"{live.status} instead of {status} for {fields}"
        refused(live.refusal, status, code, doors.secrets)

    refusal(403, "foreign_origin", Origin="https://evil.example")
    refusal(403, "foreign_origin", Origin=None)
    refusal(403, "foreign_origin", Origin="null")
    refusal(403, "foreign_origin", Origin=f"https://127.0.0.1:{doors.port}")
    refusal(421, "host", Host="evil.example", Origin="http://evil.example")
    refusal(401, "session", cookie=None)
    refusal(401, "session", cookie="A" * 43)
    refusal(401, "session", cookie=doors.session("hannah", age=31 * DAY))
    # Without a session nothing is told before, whatever else is wrong.
    refusal(400, "subprotocol", Sec_WebSocket_Protocol=None)
    refusal(400, "subprotocol", Sec_WebSocket_Protocol="other.v1")
    refusal(426, "upgrade", Upgrade=None)
    refusal(426, "upgrade", Connection="keep-alive")
    refusal(426, "upgrade", Sec_WebSocket_Version="8")
    refusal(400, "upgrade", Sec_WebSocket_Key=None)
    refusal(400, "upgrade", Sec_WebSocket_Key="short")
    live = Live(doors.port, cookie)
    assert live.status == 101
    live.hello().close()
    # A program with a token needs the Origin too.
    live = Live(doors.port, None, {"Authorization": f"Bearer {doors.token('hannah', 'read')[1]}"})
    assert live.status == 101
    live.hello().close()
    refused(Live(doors.port, None, {"Authorization": f"Bearer {doors.token('hannah', 'trade')[1]}"}).refusal, 403, "scope")


def test_a_socket_ends_with_its_session(doors):
    client = doors.client("hannah")
    first, second = Live(doors.port, client.cookie).hello(), Live(doors.port, doors.session("hannah")).hello()
    assert client.ask("POST", "/api/logout", {}).status == 204
    assert first.closing() == 1008
    other = doors.client("hannah")
    assert other.ask("POST", "/api/logout", {"everywhere": True}).status == 204
    assert second.closing() == 1008


def test_what_is_no_message_ends_its_socket_only(doors):
    cookie = doors.session("hannah")
    witness = Live(doors.port, cookie).hello()

    def ends(codes, *frames, hello=True):
        live = Live(doors.port, cookie)
        if hello:
            live.hello()
        live.say(*[frame if isinstance(frame, bytes) else frame(live) for frame in frames])
        try:
            code = live.closing()
        except TimeoutError:
            code = "an open socket"
        live.close()
        said = b"".join(frame if isinstance(frame, bytes) else frame(live) for frame in frames)
        assert code in codes, f"{code} instead of {codes} after {said[:40]}, {len(said)} bytes"

    ends([1008], lambda live: live.frame(b"{}"), hello=False)
    ends([1008], lambda live: live.frame(b'{"op":"ready","frame":1}'), hello=False)
    ends([1008], lambda live: live.frame(b"no JSON"))
    ends([1008], lambda live: live.frame(b'{"op":"' + b"[" * 5_000))
    ends([1008], lambda live: live.frame(b'{"op":"shutdown"}'))
    ends([1008], lambda live: live.frame(b'{"op":"ready","frame":-1}'))
    ends([1003, 1008], lambda live: live.frame(b"\0\1", opcode=2))
    ends([1009], lambda live: live.frame(b"a" * 16_385))
    ends([1009], lambda live: live.frame(b"a" * 100_000))
    ends([1009], lambda live: live.frame(b"", fin=False)[:1] + b"\xff" + b"\x7f" + b"\xff" * 7 + b"\0\0\0\0")
    # Fragments count together, and many small ones are no way around.
    ends([1009, 1002], lambda live: live.frame(b"a" * 9_000, fin=False) + live.frame(b"a" * 9_000, opcode=0, fin=False) * 8)
    ends([1002, 1008, 1009], lambda live: live.frame(b"a", fin=False) + live.frame(b"a", opcode=0, fin=False) * 17_000)
    # Empty ones are no message, and nothing of them is kept.
    ends([1008], lambda live: live.frame(b"", fin=False) + live.frame(b"", opcode=0, fin=False) * 20_000 + live.frame(b"{}", opcode=0))
    # What RFC 6455 forbids.
    ends([1002], lambda live: live.frame(b"{}", masked=False))
    ends([1002], lambda live: live.frame(b"{}", bits=0x40))
    ends([1002], lambda live: live.frame(b"{}", opcode=3))
    ends([1002], lambda live: live.frame(b"{}", opcode=0))
    ends([1002], lambda live: live.frame(b"a" * 126, opcode=9))
    ends([1002], lambda live: live.frame(b"", opcode=9, fin=False))
    ends([1002], lambda live: live.frame(b"{", fin=False) + live.frame(b"{}"))
    ends([1002, 1007], lambda live: live.frame(b"\xff\xfe"))
    ends([1002], lambda live: live.frame(b"\x03", opcode=8))
    ends([1008], lambda live: live.frame(b'{"op":"symbol","symbol":null}') * 200)
    # One wrong pane is told, and costs nothing.
    for message in (b'{"op":"pane","pane":0,"view":{"filter":"price >"},"from":0,"count":1}', b'{"op":"pane","pane":0,"view":{},"from":-1,"count":1}',
                    b'{"op":"pane","pane":0,"view":{"sort":"password"},"from":0,"count":1}', b'{"op":"pane","pane":0,"view":{"find":"' + b"a" * 2_000 + b'"},"from":0,"count":1}'):
        witness.say(witness.frame(message))
        said = witness.text()
        while '"op":"error"' not in said:
            assert said, "the socket has ended"
            said = witness.text()
        assert not INSIDE.search(said), said
    witness.close()


# MARK: Log-in


def test_a_log_in_says_nothing_of_who_exists(doors):
    def log_in(name, password="wrong words here"):
        return doors.client(address=doors.address()).ask("POST", "/api/login", {"name": name, "password": password})

    def shape(answer):
        refused(answer, 401, "wrong_login", doors.secrets)
        return answer.body, sorted(answer.fields)

    doors.person("emma")
    expected = shape(log_in("emma"))
    for name in ("nobody", "EMMA", "a" * 5_000, "emma' OR 1=1 --"):
        assert shape(log_in(name)) == expected, name
    for password in ("", "a" * 5_000, PASSWORD + " ", PASSWORD.upper(), PASSWORD[:-1], PASSWORD + "\0", "\0", "\0" + PASSWORD):
        assert shape(log_in("emma", password)) == expected, password
    for body in ({"name": "hannah"}, {"name": "hannah", "password": None}, {"name": ["hannah"], "password": PASSWORD}, [], "hannah", b"{", b"\xff", b"",
                 {"name": {"$ne": None}, "password": {"$ne": None}}, b'{"name":"hannah","password":"' + PASSWORD.encode()):
        answer = doors.client(address=doors.address()).ask("POST", "/api/login", body)
        refused(answer, 400, "malformed", doors.secrets)


def test_guesses_of_a_name_and_of_an_address_end(doors):
    doors.person("lena")
    answered = [doors.client(address=doors.address()).ask("POST", "/api/login", {"name": "lena", "password": f"wrong word {i}"}) for i in range(11)]
    assert [answer.status for answer in answered] == [401] * 10 + [429], answered
    refused(answered[-1], 429, "too_many")
    assert int(answered[-1].field("retry-after")) <= 60
    # The right password does not help who guesses elsewhere; the person at home is not locked out.
    refused(doors.client(address=doors.address()).ask("POST", "/api/login", {"name": "lena", "password": PASSWORD}), 429)
    doors.session("lena")
    answer = doors.client(address="127.0.0.1").ask("POST", "/api/login", {"name": "lena", "password": PASSWORD})
    assert answer.status == 204, answer
    doors.secrets.append(answer.secret)
    # What a client writes in front of the proxy's address makes no new one.
    for i in range(21):
        doors.person(f"guessed{i}")
    guesses = [doors.client(address=f"{doors.address()}, 192.0.2.7").ask("POST", "/api/login", {"name": f"guessed{i}", "password": ""}).status for i in range(21)]
    assert guesses == [401] * 20 + [429], guesses


def test_signing_up_gives_what_it_says_and_a_cookie_of_its_own(doors):
    for name, password, code in (("1a", PASSWORD, "bad_name"), ("local", PASSWORD, "bad_name"), ("a/b", PASSWORD, "bad_name"), ("a" * 33, PASSWORD, "bad_name"),
                                 ("<b>", PASSWORD, "bad_name"), ("nora", "short", "bad_password"), ("nora", "password2024!", "bad_password"), ("nora", "nora nora", "bad_password"),
                                 ("nora", "stockbus123", "bad_password"), ("nora", "1234567890", "bad_password"), ("nora", "a" * 257, "bad_password")):
        refused(doors.client(address=doors.address()).ask("POST", "/api/signup", {"name": name, "password": password}), 400, code, [PASSWORD])
    # What is given beforehand is not taken over, and more rights than usual are not given.
    given = "B" * 43
    client = Client(doors.port, cookie=given, address=doors.address())
    answer = client.ask("POST", "/api/signup", {"name": "nora", "password": PASSWORD, "scopes": ["control"], "can": ["control"], "id": 1})
    assert proper(answer).status == 204 and answer.secret != given, answer
    attributes(answer, "stockbus", secure=False)
    doors.secrets.append(answer.secret)
    nora = Client(doors.port, cookie=answer.secret)
    session = nora.ask("GET", "/api/session").json
    assert session["user"] == {"name": "nora"} and session["can"] == ["trade"], session
    refused(Client(doors.port, cookie=given).ask("GET", "/api/portfolio"), 401)
    # The session that somebody planted ends when the person logs in over it.
    planted = doors.session("otto")
    answer = Client(doors.port, cookie=planted, address=doors.address()).ask("POST", "/api/login", {"name": "hannah", "password": PASSWORD})
    assert answer.status == 204 and answer.secret != planted, answer
    doors.secrets.append(answer.secret)
    refused(Client(doors.port, cookie=planted).ask("GET", "/api/portfolio"), 401)
    again = Client(doors.port, cookie=answer.secret, address=doors.address()).ask("POST", "/api/login", {"name": "hannah", "password": PASSWORD})
    assert again.secret not in (answer.secret, planted) and Client(doors.port, cookie=answer.secret).ask("GET", "/api/portfolio").status == 401
    doors.secrets.append(again.secret)
    answer = Client(doors.port, cookie=again.secret).ask("POST", "/api/logout", {})
    assert "Max-Age=0" in answer.field("set-cookie") and answer.secret == "", answer.fields


def attributes(answer, name, secure):
    cookies = [value for key, value in answer.fields if key == "set-cookie"]
    assert len(cookies) == 1, cookies
    parts = [part.strip() for part in cookies[0].split(";")]
    assert re.fullmatch(re.escape(name) + r"=[A-Za-z0-9_-]{43}", parts[0]), parts[0]
    expected = {"Path=/", "Max-Age=2592000", "HttpOnly", "SameSite=Strict"} | ({"Secure"} if secure else set())
    assert set(parts[1:]) == expected, parts


def test_behind_a_proxy_with_tls_the_cookie_is_the_hosts_own(doors):
    fields = {"X-Forwarded-Proto": "https", "Host": "stocks.example.org", "Origin": "https://stocks.example.org"}
    answer = doors.client(address=doors.address()).ask("POST", "/api/login", {"name": "hannah", "password": PASSWORD}, fields)
    assert proper(answer).status == 204, answer
    attributes(answer, "__Host-stockbus", secure=True)
    doors.secrets.append(answer.secret)
    client = Client(doors.port, cookie=answer.secret)
    assert client.ask("GET", "/api/portfolio", fields=fields, cookie_name="__Host-stockbus").status == 200
    # The name without a prefix, which another host could plant, does not count there.
    refused(client.ask("GET", "/api/portfolio", fields=fields), 401)
    refused(client.ask("PUT", "/api/settings", {}, {**fields, "Origin": "http://stocks.example.org"}, "__Host-stockbus"), 403)


# MARK: Bytes


def test_what_is_too_large_is_refused_by_size(doors):
    client = doors.client("hannah")
    refused(doors.raw(doors.head("GET / HTTP/1.1", "A: " + "a" * 17_000))[0], 431)
    refused(doors.raw(doors.head("GET / HTTP/1.1", *[f"A{i}: a" for i in range(65)]))[0], 431)
    refused(doors.raw(doors.head("GET /" + "a" * 17_000 + " HTTP/1.1"))[0], 431)
    refused(doors.raw("A" * 100_000)[0], (400, 431))
    refused(doors.raw("\r\n" * 50_000)[0], (400, 431))
    refused(doors.raw(doors.head("GET /api/session?" + "a&" * 65 + " HTTP/1.1"))[0], 400)
    refused(doors.raw(doors.head("POST /api/login HTTP/1.1", "Content-Length: 65537", "Content-Type: application/json"))[0], 413, "body")
    refused(doors.raw(doors.head("POST /api/login HTTP/1.1", f"Content-Length: {1 << 62}"))[0], (400, 413))
    refused(doors.raw(doors.head("POST /api/login HTTP/1.1", "Content-Length: " + "9" * 40))[0], (400, 413))
    chunk = "8000\r\n" + "a" * 0x8000 + "\r\n"
    refused(doors.raw(doors.head("POST /api/login HTTP/1.1", "Transfer-Encoding: chunked", "Content-Type: application/json") + chunk * 3)[0], 413, "body")
    refused(doors.raw(doors.head("POST /api/login HTTP/1.1", "Transfer-Encoding: chunked") + "1;" + "x" * 40_000)[0], (400, 431))
    refused(client.ask("PUT", "/api/settings", {"a": "a" * 20_000}), 409, "limit")
    refused(client.ask("PUT", "/api/watchlists/big", {"symbols": [f"S{i}" for i in range(1_001)]}), 409, "limit")
    refused(client.ask("PUT", "/api/watchlists/" + "a" * 65, {"symbols": []}), 400, "malformed")
    refused(client.ask("PUT", "/api/settings", b"[" * 60_000), 400, "malformed")
    refused(client.ask("PUT", "/api/settings", b'{"a":' * 10_000), 400, "malformed")
    refused(client.ask("POST", "/api/orders", {**ORDER, "size": "9" * 400}), 422, "refused")
    refused(client.ask("POST", "/api/orders", {**ORDER, "key": "k" * 65}), 422, "refused")
    refused(doors.client("carla").ask("POST", "/api/components/broker/commands", {"line": "a" * 4_097}), 400)
    assert client.ask("GET", "/api/search?limit=999999999&q=" + "a" * 10_000).json == []
    assert len(client.ask("GET", "/api/symbols/AAPL/bars?length=1s&limit=99999999").json["bars"]) <= 1_000
    for limits in ("from=9223372036854775807", "to=-9223372036854775808", "from=1e3", "from=99999999999999999999", "length=1y"):
        refused(client.ask("GET", "/api/symbols/AAPL/bars?" + limits), 400)


def test_two_statements_about_a_length_are_no_request(doors):
    cookie = doors.session("hannah")
    # What would be carried out if the server read the boundary otherwise than the one before it.
    inner = doors.head("PUT /api/watchlists/smuggled HTTP/1.1", f"Origin: {doors.origin}", f"Cookie: stockbus={cookie}", "Content-Type: application/json", "Content-Length: 14") + '{"symbols":[]}'
    chunked = f"0\r\n\r\n{inner}"
    post = "POST /api/login HTTP/1.1"
    json_type = "Content-Type: application/json"
    attacks = {
        "a length beside chunks": doors.head(post, json_type, f"Content-Length: {len(chunked)}", "Transfer-Encoding: chunked") + chunked,
        "chunks beside a length": doors.head(post, json_type, "Transfer-Encoding: chunked", "Content-Length: 4") + chunked,
        "two lengths": doors.head(post, json_type, "Content-Length: 0", f"Content-Length: {len(inner)}") + inner,
        "two lengths in one": doors.head(post, json_type, f"Content-Length: 0, {len(inner)}") + inner,
        "a length with a sign": doors.head(post, json_type, "Content-Length: +0") + inner,
        "a negative length": doors.head(post, json_type, "Content-Length: -1") + inner,
        "a length in hexadecimal": doors.head(post, json_type, "Content-Length: 0x0") + inner,
        "an unknown coding": doors.head(post, json_type, "Transfer-Encoding: xchunked") + chunked,
        "two codings": doors.head(post, json_type, "Transfer-Encoding: chunked", "Transfer-Encoding: identity") + chunked,
        "a list of codings": doors.head(post, json_type, "Transfer-Encoding: gzip, chunked") + chunked,
        "a coding after a tab": doors.head(post, json_type, "Transfer-Encoding:\x0bchunked") + chunked,
        "a blank before the colon": doors.head(post, json_type, "Transfer-Encoding : chunked", f"Content-Length: {len(chunked)}") + chunked,
        "a folded line": doors.head(post, json_type, f"X: a\r\n Transfer-Encoding: chunked", "Transfer-Encoding:\r\n chunked", f"Content-Length: {len(chunked)}") + chunked,
        "a folded length": doors.head(post, json_type, f"Content-Length:\r\n 0") + inner,
        "bare line feeds": doors.head(post, json_type, "X: a\nTransfer-Encoding: chunked", f"Content-Length: {len(chunked)}") + chunked,
        "a bare carriage return": doors.head(post, json_type, "X: a\rTransfer-Encoding: chunked", f"Content-Length: {len(chunked)}") + chunked,
        "a zero byte": doors.head(post, json_type, "X: a\0b", "Content-Length: 0") + inner,
        "chunks in HTTP/1.0": doors.head("POST /api/login HTTP/1.0", json_type, "Transfer-Encoding: chunked") + chunked,
        "a chunk with a sign": doors.head(post, json_type, "Transfer-Encoding: chunked") + "-1\r\n" + inner,
        "a chunk that overflows": doors.head(post, json_type, "Transfer-Encoding: chunked") + "10000000000000000\r\n" + inner,
        "a chunk that is too long": doors.head(post, json_type, "Transfer-Encoding: chunked") + "2\r\n{}x\r\n0\r\n\r\n" + inner,
        "a blank line before the head's end": doors.head(post, json_type, "Content-Length: 0\r\n ") + inner,
        "no version": f"GET /\r\n\r\n{inner}",
        "a line before the head": f"GET / HTTP/1.1\r\n: x\r\nHost: localhost\r\n\r\n{inner}",
    }
    for what, text in attacks.items():
        found = doors.raw(text)
        assert len(found) == 1 and found[0].status in (400, 501, 505), f"{what}: {found}"
    # A body where none is awaited is not a request of its own.
    found = doors.raw(doors.head("GET /api/session HTTP/1.1", f"Content-Length: {len(inner)}", "Connection: close") + inner)
    assert len(found) == 1, found
    assert "smuggled" not in doors.client("hannah").ask("GET", "/api/watchlists").text
    # Two proper requests at once are two.
    found = doors.raw(doors.head() + doors.head("GET /api/session HTTP/1.1", "Connection: close"))
    assert [answer.status for answer in found] == [200, 200], found


def test_nothing_leads_out_of_the_pages_files(doors):
    for path in ("/page/../../etc/passwd", "/page/..", "/..", "/page/%2e%2e/%2e%2e/etc/passwd", "/page/..%2f..%2fetc%2fpasswd", "/page/%2fetc%2fpasswd", "/page//etc/passwd",
                 "/page/..\\..\\etc\\passwd", "/page/%5c..%5cetc", "/page/app.js%00.css", "/page/./app.js", "/page/APP.JS", "/page/.git/config", "/.git/HEAD",
                 "/.env", "/page/app.js~", "/page/%c0%ae%c0%ae/", "/page/%252e%252e/", "/%", "/%zz", "/page/index.html", "//evil.example/", "/people.db", "/run.yaml", "/metrics", "/debug",
                 "/openapi.yaml", "/status", "/server-status"):
        for answer in doors.raw(doors.head(f"GET {path} HTTP/1.1", "Connection: close")):
            refused(answer, (400, 404))
    for target in ("*", "etc/passwd", "http://127.0.0.1:%d/../etc/passwd" % doors.port, "file:///etc/passwd", "127.0.0.1:80"):
        for answer in doors.raw(doors.head(f"GET {target} HTTP/1.1", "Connection: close")):
            refused(answer, (400, 404, 421))
    # Names are data: they lead nowhere, and come back as they are.
    client = doors.client("hannah")
    for name in ("..%2f..%2fetc%2fpasswd", "%3Cimg%20src=x%20onerror=alert(1)%3E", "'%20OR%201=1%20--", "%F0%9F%92%B0", "a%22b%5Cc"):
        assert client.ask("PUT", f"/api/watchlists/{name}", {"symbols": ["<b>", "'; DROP TABLE people; --", "\"\\"]}).status == 204, name
        kept = client.ask("GET", "/api/watchlists")
        assert kept.field("content-type") == "application/json" and kept.json[-1]["symbols"] == ["<b>", "'; DROP TABLE people; --", "\"\\"], kept
        assert client.ask("DELETE", f"/api/watchlists/{name}").status == 204
    refused(client.ask("PUT", "/api/watchlists/a%0d%0ab", {"symbols": []}), 400)
    refused(client.ask("PUT", "/api/watchlists/a", {"symbols": ["a\r\nb"]}), 400, "malformed")
    refused(client.ask("GET", "/api/symbols/%3Cscript%3E"), 404, "unknown_symbol")


def test_methods_that_are_not_meant_do_nothing(doors):
    client = doors.client("hannah")
    for method in ("TRACE", "OPTIONS", "PATCH", "CONNECT", "TRACK", "PROPFIND", "get", "DEBUG"):
        for answer in doors.raw(doors.head(f"{method} /api/watchlists HTTP/1.1", f"Cookie: stockbus={client.cookie}", "Connection: close")):
            refused(answer, (400, 501))
    known = {}
    for operation in OPERATIONS:
        known.setdefault(operation.path, set()).add(operation.method)
    known.update({"/": {"GET"}, "/page/app.js": {"GET"}, "/live": {"GET"}})
    del known["/api/orders/preview"]  # also an order of that key, for other methods
    for path, methods in known.items():
        for method in {"GET", "POST", "PUT", "DELETE"} - methods:
            answer = client.ask(method, path, None if method in ("GET", "DELETE") else {})
            refused(answer, 405, "method")
            assert set(answer.field("allow").split(", ")) == methods | ({"HEAD"} if "GET" in methods else set()), f"{method} {path}: {answer.field('allow')}"
        if "GET" in methods and path != "/live":
            assert client.ask("HEAD", path).body == b""


def test_half_requests_stop_nobody(doors):
    # More than the limit of the connections, from one address; what is beyond is closed at once.
    halves = ["GET / HTTP/1.1\r\nHost: localhost\r\nX: ", doors.head("POST /api/login HTTP/1.1", "Content-Type: application/json", "Content-Length: 100") + "{", ""]
    begun = time.monotonic()
    slow, heard = [], []
    dripping = threading.Thread(target=lambda: heard.append(drip(doors)), daemon=True)
    dripping.start()
    for i in range(CLIENTS + 40):
        stream = connect(doors.port, 60)
        stream.sendall(halves[i % 3].encode())
        slow.append(stream)
    assert doors.client("hannah").ask("GET", "/api/portfolio").status == 200
    for i in range(60):
        slow.append(connect(doors.port, 60))
    # Each head ends at the server's own deadline (10 s), each body at its own (30 s).
    said = [(i, answers(read_all(stream))) for i, stream in enumerate(slow) if i % 3 != 1 or i >= CLIENTS + 40]
    for i, found in said:
        if i % 3 == 0 and i < CLIENTS + 40:
            assert [answer.status for answer in found] == [408], found
            proper(found[0])
        else:
            assert found == [], found
    assert time.monotonic() - begun < 60
    dripping.join(60)
    assert heard and heard[0].startswith(b"HTTP/1.1 408"), heard
    for stream in slow:
        stream.close()
    deadline = time.monotonic() + 30
    while True:
        try:
            assert doors.client("hannah").ask("GET", "/api/portfolio").status == 200
            break
        except (ConnectionError, OSError):
            assert time.monotonic() < deadline, "no connection is free again"
            time.sleep(0.1)


def drip(doors):
    """A byte now and then makes no difference to a head's deadline."""
    with connect(doors.port, 1) as stream:
        stream.sendall(b"GET / HTTP/1.1\r\nX: ")
        while True:
            try:
                stream.sendall(b"a")
                return stream.recv(65_536)
            except TimeoutError:
                continue


def test_bytes_of_every_kind_end_in_an_answer_or_a_close(doors):
    rng = random.Random(17)
    seeds = [doors.head(), doors.head("POST /api/login HTTP/1.1", "Content-Type: application/json", "Content-Length: 2") + "{}",
             doors.head("GET /live HTTP/1.1", "Upgrade: websocket", "Connection: upgrade")]
    for _ in range(300):
        text = bytearray(rng.choice(seeds).encode())
        for _ in range(rng.randrange(1, 8)):
            place = rng.randrange(len(text))
            if rng.random() < 0.5:
                text[place] = rng.randrange(256)
            elif rng.random() < 0.5:
                text[place:place] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 20)))
            else:
                del text[place:place + rng.randrange(1, 10)]
        with connect(doors.port) as stream:
            stream.sendall(bytes(text))
            stream.shutdown(socket.SHUT_WR)
            for answer in answers(read_all(stream)):
                proper(answer, doors.secrets)
    assert doors.program.lives


def test_commands_of_controllers_start_and_read_nothing_of_the_machine(doors):
    client = doors.client("carla")
    for component in ("broker", "alerts", "ticks", "web", "nothing", "..%2f", "%00"):
        for line in ("", " ", "help", "show in hannah", "rules", "add AAPL above 1 command /bin/sh", "!sh", "; cat /etc/passwd", "$(id)", "add AAPL above 1\nstop"):
            answer = client.ask("POST", f"/api/components/{component}/commands", {"line": line})
            assert answer.status in (200, 400, 404, 422, 503), answer
            proper(answer)
            assert "root:" not in answer.text and "uid=" not in answer.text
    for rule in ({"symbol": "AAPL"}, {"symbol": "AAPL", "channels": "x"}, {"symbol": "AAPL", "message": "${HOME}", "above": "1"}, {"symbol": "AAPL", "above": "1e999"},
                 {"symbol": "AAPL above 1 command", "above": "1"}, {"symbol": ["AAPL"]}, {"above": "1"}):
        answer = proper(client.ask("POST", "/api/alerts", rule))
        assert answer.status in (201, 400, 422) and not INSIDE.search(answer.text), answer


# MARK: Other kinds of page


def test_where_nobody_can_sign_up_nobody_does(doors):
    with other(doors, "closed", "accounts: closed") as closed:
        refused(Client(closed.port).ask("POST", "/api/signup", {"name": "eve", "password": PASSWORD}), 403, "signup_closed")
        refused(Client(closed.port).ask("GET", "/api/portfolio"), 401)
        # Who is no proxy names no address: it is the connection's that counts.
        for name in [f"c{i}" for i in range(21)]:
            add_person(closed.file, name)
        tried = [Client(closed.port, address=doors.address()).ask("POST", "/api/login", {"name": f"c{i}", "password": "no"}).status for i in range(21)]
        assert tried == [401] * 20 + [429], tried
    with other(doors, "invited", "accounts: invitation") as invited:
        tried = [refused(Client(invited.port).ask("POST", "/api/signup", {"name": "eve", "password": PASSWORD, "invitation": made}), (403, 429)).status
                 for made in (None, "", "A" * 43, "a" * 9_000, "' OR 1=1 --", "B" * 43)]
        assert tried == [403] * 5 + [429], tried


def test_the_local_page_is_for_this_machine_and_its_own_page(doors):
    with other(doors, "local", "accounts: none") as local:
        client = Client(local.port)
        refused(client.ask("POST", "/api/login", {"name": "hannah", "password": PASSWORD}), 403, "forbidden")
        refused(client.ask("POST", "/api/signup", {"name": "hannah", "password": PASSWORD}), 403, "forbidden")
        for fields in ({"Origin": "https://evil.example"}, {"Origin": None}, {"Sec-Fetch-Site": "cross-site"}):
            refused(client.ask("POST", "/api/orders", {**ORDER, "account": "hannah"}, fields), 403, "foreign_origin")
        refused(client.ask("GET", "/api/portfolio", fields={"Host": "evil.example"}), 421)
        # Without a proxy nobody says where a request comes from, nor by which scheme.
        answer = client.ask("GET", "/api/session", fields={"X-Forwarded-Proto": "https", "Origin": f"https://127.0.0.1:{local.port}"})
        refused(answer, 403)
    for options, word in (("listen: 0.0.0.0:0", "no accounts"), ("accounts: open\n    listen: 0.0.0.0:0", "certificate"), ("accounts: open\n    file: '-'", "kept")):
        text = CONFIG.format(folder=local.folder, clients=4, options="").replace("    listen: 127.0.0.1:0\n", "") if "listen" in options else CONFIG.format(folder=local.folder, clients=4, options="").replace(f"    file: {local.folder}/people.db\n", "")
        path = os.path.join(local.folder, "wrong.yaml")
        with open(path, "w") as out:
            out.write(text.replace("\n    \n", f"\n    {options}\n"))
        shown = subprocess.run([doors.program.program, "validate", path], capture_output=True, text=True)
        assert shown.returncode == 78 and word in shown.stderr + shown.stdout, shown


def test_over_tls_there_is_nothing_without_it(doors):
    openssl = shutil.which("openssl")
    if not openssl:
        return "there is no openssl to make a certificate"
    folder = os.path.join(doors.folder, "tls")
    os.makedirs(folder)
    certificate, key = os.path.join(folder, "cert.pem"), os.path.join(folder, "key.pem")
    subprocess.run([openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-out", certificate, "-keyout", key], check=True, capture_output=True)
    with other(doors, "tls", f"accounts: closed\n    names: [localhost, stocks.example.org]\n    certificate: {certificate}\n    key: {key}") as tls:
        add_person(tls.file, "hannah")

        def ask(text, **versions):
            context = ssl.create_default_context(cafile=certificate)
            for name, version in versions.items():
                setattr(context, name, version)
            if versions:
                context.set_ciphers("DEFAULT:@SECLEVEL=0")
            with context.wrap_socket(connect(tls.port), server_hostname="localhost") as stream:
                stream.sendall(text.encode())
                return stream.version(), stream.cipher()[0], answers(read_all(stream))

        host = f"Host: localhost:{tls.port}\r\nOrigin: https://localhost:{tls.port}\r\nConnection: close\r\n"
        body = '{"name":"hannah","password":"%s"}' % PASSWORD
        version, cipher, found = ask(f"POST /api/login HTTP/1.1\r\n{host}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}")
        assert version == "TLSv1.3" and found[0].status == 204, found
        attributes(found[0], "__Host-stockbus", secure=True)
        for path in ("/", "/api/session", "/api/portfolio", "/nothing"):
            answer = ask(f"GET {path} HTTP/1.1\r\n{host}\r\n")[2][0]
            assert int(re.match(r"max-age=(\d+)", proper(answer).field("strict-transport-security"))[1]) >= 31_536_000, answer.fields
        assert ask(f"GET / HTTP/1.1\r\n{host}\r\n", maximum_version=ssl.TLSVersion.TLSv1_2)[0] == "TLSv1.2"
        for old in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1):
            try:
                version = ask(f"GET / HTTP/1.1\r\n{host}\r\n", minimum_version=ssl.TLSVersion.TLSv1, maximum_version=old)[0]
            except (ssl.SSLError, ConnectionError):
                continue
            raise AssertionError(f"{version} is spoken")
        # The weak ciphers that this machine's library still knows, and those without forward secrecy or authenticated encryption.
        try:
            context = ssl.create_default_context(cafile=certificate)
            context.maximum_version = ssl.TLSVersion.TLSv1_2
            context.set_ciphers("3DES:RC4:CAMELLIA:ARIA:PSK:SRP:aNULL:eNULL:kRSA:ECDHE+AES+SHA1:ECDHE+AES+SHA256:ECDHE+AES+SHA384:!AESGCM:@SECLEVEL=0")
            with context.wrap_socket(connect(tls.port), server_hostname="localhost") as stream:
                raise AssertionError(f"{stream.cipher()} is spoken")
        except (ssl.SSLError, ConnectionError):
            pass
        # Without TLS nothing is said, and nothing is redirected.
        assert b"HTTP" not in send_raw(tls.port, f"GET / HTTP/1.1\r\n{host}\r\n".encode())


class other:
    """A second program with other options; its ledger is balanced at its end too."""

    def __init__(self, doors, name, options):
        self.doors = Doors(doors.program.program, os.path.join(doors.folder, name), options, doors.attempts)

    def __enter__(self):
        return self.doors

    def __exit__(self, kind, *_):
        if kind is None:
            finish(self.doors)
        self.doors.program.end()


# MARK: The end


def test_more_passwords_than_may_wait_are_refused_whether_or_not_the_name_exists(doors):
    # Were an unknown name not hashed, it would never have to wait.
    stored = sqlite_text(doors, "SELECT max(password) FROM people WHERE password LIKE 'scrypt$32768%'")
    if not stored:  # with --only
        return "nobody has signed up"
    crowd = other(doors, "crowd", "accounts: closed\n    proxy: true")
    try:
        crowd_the_passwords(crowd.doors, stored)
    finally:
        crowd.doors.program.end()


def crowd_the_passwords(doors, stored):
    for i in range(30):
        add_person(doors.file, f"real{i}")
    with open_file(doors.file) as db:
        db.execute("UPDATE people SET password = ?", (stored,))
    report_times(doors)
    statuses, faults = {"real": [], "unknown": []}, []

    def log_in(name):
        try:
            answer = doors.client(address=doors.address(), limit=120).ask("POST", "/api/login", {"name": name, "password": "wrong words here"})
            statuses[name.rstrip("0123456789")].append(refused(answer, (401, 503)).status)
        except OSError:
            pass  # the end came first
        except AssertionError as fault:
            faults.append(fault)

    for i in range(30):
        for kind in statuses:
            threading.Thread(target=log_in, args=(f"{kind}{i}",), daemon=True).start()
    deadline = time.monotonic() + 120
    # At most 16 of these 60 wait, and the others have their answer long before.
    while not faults and not all(503 in found for found in statuses.values()) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not faults and all(503 in found for found in statuses.values()), (statuses, faults[:1])
    # Who is logged in does not wait for them.
    assert Client(doors.port, cookie=add_session(doors.file, "real0")).ask("GET", "/api/watchlists").json == []


def report_times(doors):
    """What wrong log-ins took: a report, as nothing may depend on speed."""
    times = {"real": [], "unknown": []}
    for i in range(doors.attempts):
        for name in times:
            begun = time.monotonic()
            refused(doors.client(address=doors.address()).ask("POST", "/api/login", {"name": f"{name}{i}", "password": "wrong words here"}), 401, "wrong_login")
            times[name].append(time.monotonic() - begun)
    print(f"      a wrong log-in took {statistics.median(times['real']):.3f} s with a name, {statistics.median(times['unknown']):.3f} s with none (medians of {doors.attempts})")


def finish(doors):
    """Ends the program: it lived until now, its ledger is balanced, and nothing secret is in its log or in the file."""
    assert doors.program.lives, f"the program has ended:\n{doors.program.log[-3000:]}"
    status = doors.program.stop()
    log = doors.program.log
    assert status == 0 and "balanced: every event is accounted for" in log, f"status {status}:\n{log[-3000:]}"
    assert not re.search(r"Fatal|unaccounted|\berror:", log), log
    found = [secret for secret in doors.secrets if secret and secret in log]
    assert not found, f"secrets in the log: {len(found)}"
    with open(doors.file, "rb") as file:
        kept = file.read()
    assert not [secret for secret in doors.secrets if secret.encode() in kept], "a secret is in the file"
    assert os.stat(doors.file).st_mode & 0o077 == 0, oct(os.stat(doors.file).st_mode)
    with open_file(doors.file) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--only", help="a pattern of the tests' names")
    parser.add_argument("--attempts", type=int, default=3, help="log-ins of each kind whose time is reported")
    arguments = parser.parse_args()
    if not os.access(arguments.program, os.X_OK):
        print(f"SKIPPED: the tests from outside: there is no program {arguments.program}")
        sys.exit(SKIPPED)
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        doors = Doors(os.path.abspath(arguments.program), folder, "accounts: open\n    proxy: true\n    names: [stocks.example.org]", arguments.attempts)
        try:
            for name, scopes in (("hannah", "read,trade"), ("otto", "read,trade"), ("carla", "read,trade,control"), ("ralf", "read")):
                doors.person(name, scopes)
            tests = [(name, test) for name, test in globals().items() if name.startswith("test_")] + [("the_program_lives_and_its_ledger_is_balanced", finish)]
            for name, test in tests:
                if arguments.only and not re.search(arguments.only, name) and test is not finish:
                    continue
                name = name.removeprefix("test_").replace("_", " ")
                begun = time.monotonic()
                try:
                    skipped = test(doors)
                    print(f"SKIPPED: {name}: {skipped}" if skipped else f"ok    {name} ({time.monotonic() - begun:.1f} s)", flush=True)
                except Exception:
                    failed.append(name)
                    print(f"FAIL  {name}", flush=True)
                    traceback.print_exc(limit=-4)
        finally:
            doors.program.end()
    print(f"{len(failed)} failed" if failed else "all passed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
