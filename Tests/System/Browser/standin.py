#!/usr/bin/env python3
"""A stand-in for `stockbus run` with a dashboard: serves the page and speaks its protocol over a made-up market.

    pip install aiohttp
    python3 Tests/System/Browser/standin.py [--port 8080] [--accounts] [--rate 20] [--symbols 10000] [--still]

It is slow and plain, and keeps nothing. Tests start it inside their own process and move its market by hand.
"""
import argparse
import asyncio
import json
import pathlib
import secrets
import sys
import threading
import time

sys.dont_write_bytecode = True

from aiohttp import WSMsgType, web

import frames
import views
from desk import Desk
from market import ONE, Market, text, units

PAGE = pathlib.Path(__file__).resolve().parents[3] / "Sources/CLibraries/CDashboardPage/page"
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Client:
    """One socket: a cursor, panes, and whether it has painted what it was given."""

    def __init__(self, socket, user):
        self.socket, self.user = socket, user
        self.cursor, self.said, self.ready = 0, 0, True
        self.panes, self.symbol, self.run, self.symbol_new, self.told = {}, None, False, False, 0
        self.wake = asyncio.Event()


class Pane:
    def __init__(self, view, first, count):
        self.view, self.first, self.count = view, first, count
        self.order, self.computed, self.given, self.numbers, self.new = [], -1.0, set(), [], True


def error(status, code, message):
    return web.json_response({"error": {"code": code, "message": message}}, status=status)


class Standin:
    def __init__(self, *, symbols=10_000, seed=42, rate=20, still=False, accounts=False, moving=1000, share=0.03, live_time=True):
        now = time.time_ns() if live_time else 1_381_239_000 * ONE
        self.live_time = live_time
        self.market = Market(symbols, seed, now, moving, share)
        self.desk = Desk(self.market)
        self.rate, self.still, self.accounts = rate, still, accounts
        self.epoch, self.clients, self.sessions = secrets.token_hex(8), set(), {}
        self.users = {"ada": "a long password"}
        self.settings, self.tokens = {}, []
        self.pages, self.problems, self.trends = ["watchlists", "movers", "crypto", "portfolio", "alerts"], [], {}
        self.connections = [{"component": "feed", "state": "connected", "reason": "", "time": now // 10**6}]
        self.connections_changed = 1
        self.log = []  # what clients said, for tests
        self.runner = None

    # The server.

    def app(self):
        app = web.Application(middlewares=[self.guard])
        add = app.router.add_route
        add("GET", "/live", self.live)
        add("GET", "/page/{name}", self.file)
        for method, path, handler in (
            ("GET", "/session", self.session), ("POST", "/login", self.login), ("POST", "/signup", self.sign_up), ("POST", "/logout", self.logout),
            ("PUT", "/password", self.nothing), ("DELETE", "/account", self.logout), ("GET", "/export", self.export),
            ("GET", "/tokens", self.get_tokens), ("POST", "/tokens", self.make_token), ("DELETE", "/tokens/{id}", self.remove_token),
            ("GET", "/search", self.search), ("GET", "/trends", self.get_trends), ("GET", "/symbols/{symbol}", self.symbol), ("GET", "/symbols/{symbol}/bars", self.bars),
            ("GET", "/watchlists", self.get_watchlists), ("PUT", "/watchlists/{name}", self.put_watchlist), ("DELETE", "/watchlists/{name}", self.remove_watchlist),
            ("GET", "/alerts", self.get_rules), ("POST", "/alerts", self.make_rule), ("PUT", "/alerts/{id}", self.mute_rule), ("DELETE", "/alerts/{id}", self.remove_rule),
            ("GET", "/settings", self.get_settings), ("PUT", "/settings", self.put_settings),
            ("GET", "/portfolio", self.portfolio), ("GET", "/portfolio/equity", self.equity),
            ("POST", "/orders/preview", self.preview), ("POST", "/orders", self.order), ("PUT", "/orders/{id}", self.replace_order), ("DELETE", "/orders/{id}", self.cancel_order),
            ("GET", "/run", self.run), ("POST", "/components/{id}/commands", self.command),
        ):
            add(method, "/api" + path, handler)
        add("GET", "/{path:.*}", self.index)
        return app

    @web.middleware
    async def guard(self, request, handler):
        open_paths = ("/api/session", "/api/login", "/api/signup")
        if request.path.startswith("/api") and self.accounts and not self.user(request) and request.path not in open_paths:
            return error(401, "no_session", "log in first")
        response = await handler(request)
        if not response.prepared:
            response.headers["Content-Security-Policy"] = POLICY
            response.headers["X-Content-Type-Options"] = "nosniff"
            response.headers["Cache-Control"] = "no-cache"
        return response

    def user(self, request):
        return self.sessions.get(request.cookies.get("session"), None) if self.accounts else "local"

    async def index(self, request):
        if "." in request.path.rsplit("/", 1)[-1] and not request.path.startswith("/symbol/"):
            raise web.HTTPNotFound()
        return web.Response(body=(PAGE / "index.html").read_bytes(), content_type="text/html", charset="utf-8")

    async def file(self, request):
        path = PAGE / request.match_info["name"]
        if not path.is_file():
            raise web.HTTPNotFound()
        return web.Response(body=path.read_bytes(), content_type=TYPES[path.suffix], charset="utf-8")

    def clock(self):
        """Milliseconds since 1970, of the market where that has a time of its own."""
        return (time.time_ns() if self.live_time else self.market.now) // 10**6

    # The socket.

    async def live(self, request):
        if self.accounts and not self.user(request):
            raise web.HTTPUnauthorized()
        socket = web.WebSocketResponse(protocols=["stockbus.v1"], max_msg_size=16384)
        await socket.prepare(request)
        client = Client(socket, self.user(request))
        self.clients.add(client)
        writer = asyncio.create_task(self.write(client))
        try:
            async for message in socket:
                if message.type == WSMsgType.TEXT:
                    await self.hear(client, json.loads(message.data))
        finally:
            self.clients.discard(client)
            writer.cancel()
        return socket

    async def hear(self, client, message):
        self.log.append(message)
        op = message["op"]
        if op == "hello":
            client.resumed = message["epoch"] == self.epoch
            client.cursor = client.said = message["cursor"] if client.resumed else 0
            await client.socket.send_json({"op": "welcome", "epoch": self.epoch, "frame": self.market.frame, "resumed": client.resumed, "rate": self.rate})
            client.greeted = True
        elif op == "pane":
            index, view = message["pane"], message["view"]
            if view is None:
                client.panes.pop(index, None)
                return
            try:
                views.order(self.market, {**view, "symbols": view.get("symbols", [])}) if "filter" in view else None
            except views.FilterError as problem:
                client.panes.pop(index, None)
                await client.socket.send_json({"op": "error", "pane": index, "message": str(problem), "at": problem.at})
                return
            old = client.panes.get(index)
            if old and old.view == view:
                old.first, old.count, old.new = message["from"], message["count"], True
            else:
                made = client.panes[index] = Pane(view, message["from"], message["count"])
                if old:
                    made.given, made.numbers = old.given, old.numbers
        elif op == "symbol":
            client.symbol, client.symbol_new = message["symbol"], True
        elif op == "run":
            client.run = message["on"]
        elif op == "ready":
            client.ready = True
        client.wake.set()

    async def write(self, client):
        """A frame when the last one was painted and there is something to tell."""
        status_at = run_at = 0.0
        while True:
            await client.wake.wait()
            client.wake.clear()
            if not client.ready or not getattr(client, "greeted", False):
                continue
            now = time.monotonic()
            state = self.state(client)
            if now - status_at >= 1:
                state["status"] = {"events": self.market.events, "rate": self.event_rate, "symbols": len(self.market.instruments), "beyond": 0, "forgotten": 0, "clients": len(self.clients), "pages": self.pages, "problems": self.problems}
                state["movers"] = self.market.movers()
                status_at = now
            if client.run and now - run_at >= 0.5:
                state["run"], run_at = self.run_now(), now
            panes = [made for index, pane in sorted(client.panes.items()) if (made := self.pane(client, index, pane, now))]
            if not panes and not state:
                continue
            frame = self.market.frame
            client.ready = False
            client.cursor = frame
            self.market.frame += 1  # what changes from now on belongs to the next frame
            try:
                await client.socket.send_bytes(frames.frame(frame, self.clock(), panes, bool(state)))
                if state:
                    await client.socket.send_json({"op": "state", "frame": frame, **state})
            except (ConnectionError, RuntimeError):
                return

    def pane(self, client, index, pane, now):
        if now - pane.computed >= 0.25 or pane.new:
            pane.order, pane.computed = views.order(self.market, pane.view), now
        window = pane.order[pane.first : pane.first + pane.count]
        known = pane.given
        rows = [(each, 255 if each.number not in known else each.changed_after(client.cursor)) for each in window]
        rows = [(each, fields) for each, fields in rows if fields]
        numbers = [each.number for each in window]
        # As the program does: an order that the client has is not told again, even if it belongs to another view now.
        order = window if numbers != pane.numbers else None
        if not rows and order is None and not pane.new:
            return None
        pane.given, pane.numbers, pane.new = set(numbers), numbers, False
        return frames.pane(index, len(pane.order), pane.first, order, rows, self.clock())

    def state(self, client):
        desk, cursor, state = self.desk, client.cursor, {}
        if self.connections_changed > cursor:
            state["connections"] = self.connections
        for name, value in (("accounts", desk.accounts), ("positions", desk.positions)):
            if desk.changed[name] > cursor:
                state[name] = value()
        if desk.changed["orders"] > cursor:
            state["orders"] = desk.orders
        fills = [fill for fill in desk.fills if fill["frame"] > cursor]
        if fills:
            state["fills"] = [{key: value for key, value in fill.items() if key != "frame"} for fill in fills]
        if desk.changed["watchlists"] > cursor > 0:
            state["watchlists"] = self.lists()
        if desk.changed["rules"] > cursor > 0:
            state["rules"] = desk.rules
        alerts = [alert for frame, alert in desk.alerts if frame > cursor]
        if alerts:
            state["alerts"] = alerts[-200:]
        if client.symbol:
            since = 0 if client.symbol_new else cursor
            trades = self.market.trades.get(client.symbol, [])
            first = max(len(trades) - 32, 0 if client.symbol_new else client.told)
            if first < len(trades):
                state["trades"] = {"from": first, "prints": trades[first:]}
            client.told = len(trades)
            bar = self.market.minutes.get(client.symbol)
            if bar and bar[6] > since:
                decimals = self.market.by_symbol[client.symbol].decimals
                state["bars"] = [[bar[0] * 1000, *(text(value, decimals) for value in bar[1:5]), text(bar[5], 0)]]
            client.symbol_new = False
        return state

    event_rate = 0

    async def tick(self):
        """The market moves, and everybody who is due gets a frame."""
        last, events, second = time.monotonic(), 0, time.monotonic()
        while True:
            await asyncio.sleep(1 / self.rate)
            now = time.monotonic()
            if not self.still:
                self.market.step(int((now - last) * ONE))
                self.desk.match()
            last = now
            if not self.still and now - second >= 1:
                self.event_rate, events, second = self.market.events - events, self.market.events, now
            self.wake()

    def wake(self):
        for client in self.clients:
            client.wake.set()

    # Who is here.

    async def session(self, request):
        user = self.user(request)
        return web.json_response({
            "user": {"name": user} if user else None, "accounts": self.accounts, "signup": "open", "program": "stockbus, stand-in", "zone": "America/New_York",
            "can": ["trade", "control"], "columns": None, "pages": self.pages,
        })

    def log_in(self, name):
        token = secrets.token_hex(16)
        self.sessions[token] = name
        response = web.Response(status=204)
        response.set_cookie("session", token, httponly=True, samesite="Strict")
        return response

    async def login(self, request):
        body = await request.json()
        if self.users.get(body["name"]) != body["password"]:
            return error(401, "wrong", "name or password is wrong")
        return self.log_in(body["name"])

    async def sign_up(self, request):
        body = await request.json()
        if body["name"] in self.users:
            return error(409, "taken", "this name is taken")
        self.users[body["name"]] = body["password"]
        return self.log_in(body["name"])

    async def logout(self, request):
        self.sessions.pop(request.cookies.get("session"), None)
        for client in list(self.clients):
            await client.socket.close(code=1008)
        return web.Response(status=204)

    async def nothing(self, request):
        return web.Response(status=204)

    async def export(self, request):
        return web.json_response({"watchlists": self.lists()})

    async def get_tokens(self, request):
        return web.json_response(self.tokens)

    async def make_token(self, request):
        body = await request.json()
        token = {"id": str(len(self.tokens) + 1), "name": body["name"], "scopes": body["scopes"]}
        self.tokens.append(token)
        return web.json_response({**token, "secret": "sb_" + secrets.token_hex(16)})

    async def remove_token(self, request):
        self.tokens = [token for token in self.tokens if token["id"] != request.match_info["id"]]
        return web.Response(status=204)

    # Symbols.

    async def search(self, request):
        found = views.search(self.market, request.query["q"], int(request.query.get("limit", 20)))
        return web.json_response([{"symbol": each.symbol, "name": each.name, "kind": each.kind, "industry": each.industry} for each in found])

    async def symbol(self, request):
        each = self.market.by_symbol.get(request.match_info["symbol"])
        if each is None:
            return error(404, "unknown_symbol", f"There is no symbol '{request.match_info['symbol']}'.")
        return web.json_response({
            "symbol": each.symbol, "name": each.name, "kind": each.kind, "industry": each.industry, "venue": "XNAS", "currency": "USD", "tick": text(each.tick, 0), "lot": "1",
            "calendar": "us", "session": "open", "last": text(each.price, each.decimals), "previousClose": text(each.reference, each.decimals), "stale": False,
        })

    async def get_trends(self, request):
        return web.json_response({symbol: self.trends[symbol] for symbol in request.query["symbols"].split(",") if symbol in self.trends})

    async def bars(self, request):
        if request.match_info["symbol"] not in self.market.by_symbol:
            return error(404, "unknown_symbol", f"There is no symbol '{request.match_info['symbol']}'.")
        query, symbol = request.query, request.match_info["symbol"]
        found = self.market.bars(symbol, query["length"], int(query.get("limit", 1000)), int(query["to"]) if "to" in query else None)
        return web.json_response({"length": query["length"], "decimals": self.market.by_symbol[symbol].decimals, "complete": True, "bars": found})

    # What belongs to the user.

    def lists(self):
        return [{"name": name, "symbols": symbols} for name, symbols in self.desk.watchlists.items()]

    async def get_watchlists(self, request):
        return web.json_response(self.lists())

    async def put_watchlist(self, request):
        self.desk.watchlists[request.match_info["name"]] = (await request.json())["symbols"]
        self.desk.touch("watchlists")
        return web.Response(status=204)

    async def remove_watchlist(self, request):
        self.desk.watchlists.pop(request.match_info["name"], None)
        self.desk.touch("watchlists")
        return web.Response(status=204)

    async def get_rules(self, request):
        return web.json_response(self.desk.rules)

    async def make_rule(self, request):
        body = await request.json()
        key = next(key for key in ("crosses_above", "crosses_below", "rises_by", "falls_by") if key in body)
        if body["symbol"] not in self.market.by_symbol:
            return error(422, "unknown_symbol", f"no symbol '{body['symbol']}'")
        rule = self.desk.rule(max([int(rule["id"]) for rule in self.desk.rules], default=0) + 1, body["symbol"], "", key.replace("_", " "), body[key])
        rule["name"] = body["name"]
        self.desk.rules.insert(0, rule)
        self.desk.touch("rules")
        return web.json_response(rule, status=201)

    async def mute_rule(self, request):
        muted = (await request.json())["muted"]
        self.desk.rules = [{**rule, "muted": muted} if rule["id"] == request.match_info["id"] else rule for rule in self.desk.rules]
        self.desk.touch("rules")
        return web.Response(status=204)

    async def remove_rule(self, request):
        self.desk.rules = [rule for rule in self.desk.rules if rule["id"] != request.match_info["id"]]
        self.desk.touch("rules")
        return web.Response(status=204)

    async def get_settings(self, request):
        return web.json_response(self.settings)

    async def put_settings(self, request):
        self.settings = await request.json()
        return web.Response(status=204)

    # Trading.

    async def portfolio(self, request):
        return web.json_response(self.desk.portfolio())

    async def equity(self, request):
        return web.json_response({"points": []})

    async def preview(self, request):
        return web.json_response(self.desk.preview(await request.json()))

    async def order(self, request):
        return web.json_response(self.desk.place(await request.json()))

    def open_order(self, request):
        number = int(request.match_info["id"])
        return next((order for order in self.desk.orders if order["number"] == number and order["state"] == "working"), None)

    async def replace_order(self, request):
        order, body = self.open_order(request), await request.json()
        if order is None:
            return error(409, "already_done", "this order is not open")
        order["quantity"], order["limit"] = body.get("size", order["quantity"]), body.get("price", order["limit"])
        self.desk.touch("orders")
        return web.json_response({"accepted": True, "text": f"Order {order['number']} is replaced"})

    async def cancel_order(self, request):
        order = self.open_order(request)
        if order is None:
            return error(409, "already_done", "this order is not open")
        order["state"] = "cancelled"
        self.desk.touch("orders")
        return web.json_response({"accepted": True, "text": f"Order {order['number']} is cancelled"})

    # The run.

    def run_now(self):
        events = self.market.events
        component = lambda id, plugin, kind, inputs: {"id": id, "plugin": plugin, "kind": kind, "inputs": inputs, "running": True, "published": events, "rate": self.event_rate, "commands": [{"usage": f"{word} SYMBOL [AMOUNT]", "doc": ""} for word in ("raise", "lower", "randomise")] if plugin == "generator" else []}  # noqa: E731
        edge = lambda a, b, **more: {"from": a, "to": b, "in": events, "delivered": events, "filtered": 0, "dropped": 0, "conflated": 0, "dead": 0, "waiting": 0, **more}  # noqa: E731
        return {
            "components": [
                component("ticks", "generator", "source", []), component("ranked", "sorting_feed", "processor", ["ticks"]), component("today", "movers", "processor", ["ticks"]),
                component("mine", "watchlist_filter", "processor", ["ranked"]), component("broker", "paper_broker", "processor", ["ticks"]),
                component("web", "dashboard", "sink", ["ranked", "today", "broker"]), component("alerts", "notification_dispatcher", "sink", ["mine"]),
            ],
            "edges": [
                edge("ticks", "ranked"), edge("ticks", "today"), edge("ticks", "broker"), edge("ranked", "mine", delivered=events // 20, filtered=events - events // 20),
                edge("ranked", "web"), edge("today", "web", conflated=events // 9), edge("broker", "web"), edge("mine", "alerts"),
            ],
        }

    async def run(self, request):
        return web.json_response(self.run_now())

    async def command(self, request):
        words = (await request.json())["line"].split()
        each = self.market.by_symbol.get(words[1]) if len(words) > 1 else None
        if each is None:
            return error(422, "refused", "usage: raise SYMBOL [PERCENT]")
        factor = {"raise": 1010, "lower": 990, "randomise": self.market.random.randrange(900, 1100)}[words[0]]
        self.market.set_price(each, each.price * factor // 1000 // each.tick * each.tick)
        self.wake()
        return web.json_response({"reply": f"{each.symbol} is {text(each.price, each.decimals)}"})

    # In a thread, for tests.

    def start(self, port=0):
        started = threading.Event()

        def serve():
            self.loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self.loop)
            self.loop.run_until_complete(self.listen(port))
            started.set()
            self.loop.run_forever()

        self.thread = threading.Thread(target=serve, daemon=True)
        self.thread.start()
        started.wait()
        return self

    async def listen(self, port):
        self.runner = web.AppRunner(self.app(), shutdown_timeout=0.1)
        await self.runner.setup()
        site = web.TCPSite(self.runner, "127.0.0.1", port)
        await site.start()
        self.port = site._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.ticker = asyncio.ensure_future(self.tick())

    def close(self):
        self.call(lambda: self.ticker.cancel())
        self.loop.call_soon_threadsafe(self.loop.stop)

    def call(self, action):
        """Runs `action()` where the market lives, wakes the clients, and gives its answer."""

        async def there():
            answer = action()
            if asyncio.iscoroutine(answer):
                answer = await answer
            self.wake()
            return answer

        return asyncio.run_coroutine_threadsafe(there(), self.loop).result(20)

    def set(self, symbol, price):
        self.call(lambda: self.market.set_price(self.market.by_symbol[symbol], units(price), ONE))

    async def cut(self, again=None):
        """Ends all sockets, as a network or a server that goes away does."""
        for client in list(self.clients):
            if again is not None:
                await client.socket.send_json({"op": "bye", "again": again})
            await client.socket.close(code=1001)

    async def begin_anew(self):
        """Another run: a new epoch, and every cursor of the old one means nothing."""
        self.epoch = secrets.token_hex(8)
        self.market.frame = 1
        for each in self.market.instruments:
            each.stamp(1, 127)
        self.connections_changed = 1
        for name in self.desk.changed:
            self.desk.changed[name] = 1
        await self.cut(again=0)


def main():
    parser = argparse.ArgumentParser(description="serves the dashboard's page over a made-up market")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--rate", type=int, default=20)
    parser.add_argument("--symbols", type=int, default=10_000)
    parser.add_argument("--accounts", action="store_true")
    parser.add_argument("--still", action="store_true")
    options = parser.parse_args()
    standin = Standin(symbols=options.symbols, rate=options.rate, accounts=options.accounts, still=options.still).start(options.port)
    print(f"{standin.url}; Ctrl-C stops it")
    try:
        standin.thread.join()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
