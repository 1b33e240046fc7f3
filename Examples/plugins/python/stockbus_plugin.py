"""Plugins for stockbus in Python: version 1 of the process protocol, see Documentation/extend/process-protocol.md.

Derive a class from `Source`, `Processor` or `Sink`, and end the file with `run(YourClass)`. Events, options and state are what JSON gives,
except that every number is a `decimal.Decimal` with exactly the digits that were written. A member of an event may be a Decimal or an int,
which is sent digit by digit, or a float, which is sent rounded to nine decimals, the most that an event keeps; a Decimal with more is refused.
In a state a float is refused, since it would come back as another number.
Columns beside events are members of these like fields: `event["vwap"]`, `None` without a value. Those that a program adds are in its `columns`.
`print` goes to standard error, since standard output belongs to the protocol. Call what is here on the main thread only.
"""
from __future__ import annotations

import json
import math
import os
import select
import signal
import sys
import time
import traceback
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Any, ClassVar, NoReturn, Optional, Union

Event = dict[str, Any]
MESSAGE_LIMIT, STATE_LIMIT = 1 << 20, 64 << 10  # bytes, of the protocol
TEXT_LIMIT = 32 << 10  # characters of a text for people: three of them fit into a message, however they are escaped
EVENTS_SIZE = 256 << 10  # bytes of events in a message; more go into several, so that the host begins early and little is held here


COLUMN_KINDS = ("number", "percent", "duration", "time", "flag")


class Refused(Exception):
    """Raised by `command`: the command is answered with this text, and nothing else happens."""


class ProtocolError(Exception):
    """The host has sent something that the protocol does not have, or not there."""


class _HostClosed(Exception):
    """Standard input has ended."""


def encode(value: Any) -> str:
    """JSON of a value, on one line. Decimals keep their digits; floats, NaN and infinities raise `TypeError` or `ValueError`."""
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, dict):
        return "{" + ",".join([encode_basestring(name) + ":" + encode(each) for name, each in value.items()]) + "}"
    if isinstance(value, Decimal):
        text = str(value)
        if not value.is_finite() or abs(value.adjusted()) > 99:  # An exponent of millions would be millions of digits.
            raise ValueError(f"{text} cannot be written as plain digits")
        return format(value, "f") if "E" in text or "e" in text else text
    if value is None or isinstance(value, bool):
        return "null" if value is None else "true" if value else "false"
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, (list, tuple)):
        return "[" + ",".join([encode(each) for each in value]) + "]"
    raise TypeError(f"{value!r} is a {type(value).__name__}, which is not written; numbers with a point are decimal.Decimal")


def _sendable(name: str, value: Any) -> Any:
    """A member of an event as it is sent: floats are rounded to nine decimals, Decimals with more raise `ValueError`."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"'{name}' is {value!r}, which is no number; leave the event out")
        return Decimal(f"{value:.9f}".rstrip("0").rstrip(".")) if round(value, 9) else 0
    if isinstance(value, Decimal) and value.is_finite() and -9 > int(value.as_tuple().exponent):
        raise ValueError(f"'{name}' is {value}, and an event has at most nine decimals; write round({name}, 9)")
    return value


# `int` raises an error for NaN and Infinity, which are not JSON and which Python would read.
_decode = json.JSONDecoder(parse_float=Decimal, parse_int=Decimal, parse_constant=int).decode


def _text(text: object) -> str:
    """A text for people, which can always be sent: cut, and without what UTF-8 does not have."""
    return str(text)[:TEXT_LIMIT].encode(errors="replace").decode()


def _at(events: object, error: ValueError) -> ValueError:
    """The error, which is told with the line where a generator has yielded what is wrong."""
    frame = getattr(events, "gi_frame", None)
    if frame is not None:
        error.place = (frame.f_code.co_filename, frame.f_lineno)  # type: ignore[attr-defined]
    return error


def _told(error: BaseException) -> str:
    """The error on one line, with the innermost place in the author's own files: `cheap.py:12: KeyError: 'price'`."""
    frames = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    libraries = f"{os.sep}lib{os.sep}python"
    places = [place for place in frames if place[0] != __file__ and libraries not in place[0] and not place[0].startswith("<")]
    place = getattr(error, "place", None) or (places[-1] if places else None)
    text = f"{type(error).__name__}: {error}"
    if isinstance(error, SyntaxError) and error.filename:
        place, text = (error.filename, error.lineno or 1), f"{type(error).__name__}: {error.msg}"
    return f"{os.path.basename(place[0])}:{place[1]}: {text}" if place else text


class _Host:
    """The two pipes: messages come and go as a whole."""

    def __init__(self) -> None:
        # The process gets another standard input and output, so that no print and no child process comes between the messages.
        self._input, self._output = os.dup(0), os.dup(1)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)
        sys.stdout = sys.stderr
        self._lines: deque[bytes] = deque()
        self._rest = b""
        self._events: list[bytes] = []
        self._size = 0

    def read(self, seconds: Optional[float] = None) -> Optional[Event]:
        """The next message, or `None` if none is complete within `seconds`. Half a message before the end is none."""
        while not self._lines:
            if seconds is not None and not select.select([self._input], [], [], seconds)[0]:
                return None
            piece = os.read(self._input, MESSAGE_LIMIT)
            if not piece:
                raise _HostClosed
            *lines, self._rest = (self._rest + piece).split(b"\n")
            self._lines.extend(lines)
            if len(self._rest) >= MESSAGE_LIMIT:
                raise ProtocolError("a message is longer than 1 MiB")
        line = self._lines.popleft()
        try:
            message = _decode(str(line, "utf-8"))
        except (ValueError, ArithmeticError, RecursionError) as error:
            raise ProtocolError(f"a message is not JSON: {error}: {line[:100]!r}") from None
        if not isinstance(message, dict):
            raise ProtocolError(f"a message is not an object: {line[:100]!r}")
        return message

    def add(self, events: Optional[Iterable[Event]]) -> int:
        """Takes events that go out with the next `flush`, or at once where many wait; returns how many."""
        count = 0
        for event in events or ():
            try:
                if not isinstance(event, dict):
                    raise TypeError("it is not a dict")
                data = encode({member: _sendable(member, value) for member, value in event.items()}).encode()
            except (TypeError, ValueError) as error:
                raise _at(events, ValueError(f"an event cannot be sent: {error}; it is {str(event)[:200]}")) from None
            if len(data) > MESSAGE_LIMIT - 16:
                raise _at(events, ValueError(f"an event of {len(data)} bytes does not fit into a message; it is {str(event)[:200]}"))
            if self._size + len(data) > EVENTS_SIZE:
                self.flush()
            self._events.append(data)
            self._size += len(data) + 1
            count += 1
        return count

    def flush(self, message: str = "") -> None:
        """Writes the events that were added, and then the message."""
        data = b'{"events":[' + b",".join(self._events) + b"]}\n" if self._events else b""
        rest = memoryview(data + (message + "\n").encode() if message else data)
        self._events, self._size = [], 0
        try:
            while rest:
                rest = rest[os.write(self._output, rest) :]
        except BrokenPipeError:
            raise SystemExit(0) from None  # The host has gone. The author's `finally` blocks run.


class _Program:
    """What the three kinds have in common. What has no underscore is for authors: to set, to write anew, or to call."""

    kind: ClassVar[str]
    takes: Sequence[str] = ()  # event types; empty for any
    emits: Optional[str] = None
    columns: Mapping[str, str] = {}  # what it adds beside the fields, by name with its kind (COLUMN_KINDS); 'extra_columns' in a configuration
    commits = False  # true for a source that calls `commit`
    component = ""  # the name in the configuration
    seed = 0  # for random numbers
    _host: _Host

    def start(self, options: dict[str, Any], state: Any) -> None:
        """Opens what is needed. `state` is what the process before left; `None` at the first start."""

    def state(self) -> Any:
        """What the next process gets, sent with each answer: at most 64 KiB as JSON. `None` if there is nothing to keep."""

    def command(self, words: list[str]) -> str:
        """Does what was asked, and returns the reply; or raises `Refused`."""
        raise Refused("there are no commands")

    def drain(self) -> Optional[Iterable[Event]]:
        """The inputs have ended, or the source ends: yields what was held back, and completes files."""
        return None

    def log(self, text: str, level: str = "info") -> None:
        """A line for the log; `level` is debug, info, notice, warning or error."""
        self._host.flush(encode({"log": _text(text), "level": level}))

    def trouble(self, text: Optional[str]) -> None:
        """Says why the program cannot do its work at present; `None` when it can again."""
        self._host.flush(encode({"trouble": None if text is None else _text(text)}))

    def reject(self, text: str, origin: str, reason: str) -> None:
        """Sets a piece of input from outside aside as a dead letter; `origin` is such as `file:17`."""
        self._host.flush(encode({"reject": _text(text), "origin": _text(origin), "reason": _text(reason)}))

    def _live(self) -> None:
        hello = self._expect("hello")
        self.component = str(hello.get("component", ""))
        if hello["hello"] < 1 or hello.get("kind") != self.kind:
            raise ProtocolError(f"the host wants a {hello.get('kind')}, version {hello['hello']}; this is a {self.kind}, version 1")
        for name, of in self.columns.items():
            if of not in COLUMN_KINDS:
                raise ValueError(f"the column '{name}' is a {of}; there are {', '.join(COLUMN_KINDS)}")
        columns = [{"name": name, "kind": of} for name, of in self.columns.items()]
        answer = {
            "name": os.path.basename(sys.argv[0]), "takes": self.takes, "emits": self.emits, "columns": columns, "commits": self.commits,
        }
        self._host.flush(encode({"hello": 1, **{name: value for name, value in answer.items() if value}}))
        start = self._expect("start")
        self.seed = int(start.get("seed", 0))
        self.start(start["start"] or {}, start.get("state"))
        self._host.flush('{"ready":true}')
        self._work()

    def _expect(self, what: str) -> Event:
        message = self._host.read() or {}
        if next(iter(message), None) != what:
            raise ProtocolError(f"{what} should come here, and not {str(message)[:100]}")
        return message

    def _hear(self, seconds: Optional[float] = None) -> bool:
        """Does what the next message says; false if there is none within `seconds`."""
        message = self._host.read(seconds)
        if message is None:
            return False
        what = next(iter(message), "")
        if what == "command":
            try:
                answer = {"reply": _text(self.command(str(message[what]).split()))}
            except Refused as error:
                answer = {"refused": _text(error)}
            self._host.flush(encode(answer))
        elif not self._act(what, message):
            raise ProtocolError(f"a message is unknown, or does not belong here: {str(message)[:100]}")
        return True

    def _work(self) -> None:
        while True:
            self._hear()

    def _answer(self, answer: str, state: Any) -> None:
        text = "" if state is None else encode(state)
        if len(text.encode()) > STATE_LIMIT:
            raise ValueError(f"the state has {len(text.encode())} bytes, and may have {STATE_LIMIT}")
        self._host.flush("{" + answer + (f',"state":{text}' if text else "") + "}")

    def _act(self, what: str, message: Event) -> bool:
        raise NotImplementedError


class Processor(_Program):
    """One event in, any number out."""

    kind = "processor"
    filtering = True  # an event from which nothing follows counts as left out on purpose; False where it is held back or added up
    _last = 0

    def process(self, event: Event) -> Optional[Iterable[Event]]:
        """Yields what follows from the event. After an exception the host starts the program again, without the event that caused it."""
        raise NotImplementedError

    def hand_over(self) -> Optional[Iterable[Event]]:
        """Called in place of `drain` where a process with other options goes on. What is held back may stay in `state`."""
        return self.drain()

    def _act(self, what: str, message: Event) -> bool:
        if what == "events":
            self._last += len(message[what])
            if message.get("last") != self._last:
                raise ProtocolError(f"the last of these events should be number {self._last}, and not {message.get('last')}")
            add, process = self._host.add, self.process
            nothing = [add(process(event)) for event in message[what]].count(0)
            filtered = nothing if self.filtering else 0
            self._answer(f'"done":{self._last}' + (f',"filtered":{filtered}' if filtered else ""), self.state())
        elif what in ("drain", "hand_over"):
            self._host.add(self.drain() if what == "drain" else self.hand_over())
            self._answer('"drained":true', self.state())
        return what in ("events", "drain", "hand_over")


class Sink(Processor):
    """Gets events and sends none: `process` returns nothing. It gets an event again where the program ended before it had answered."""

    kind = "sink"
    filtering = False


class Source(_Program):
    """Makes events."""

    kind = "source"
    stopping = False  # true once the host has asked for the end

    def events(self) -> Iterable[Union[Event, Sequence[Event], None]]:
        """Yields an event, a list of events (which is faster), or `None`; each is sent at once.

        After each yield, and in `wait`, the source does commands and notices that it is to stop; the generator is then closed where it is.
        The host kills a generator that does neither for its `timeout` (10 s) after a stop or a command.
        """
        raise NotImplementedError

    def commit(self, state: Any) -> None:
        """All that was yielded so far belongs to `state`: a process that starts with it goes on there. Needs `commits = True`."""
        if not self.commits:
            raise TypeError("a source that commits says so beforehand: commits = True")
        self._answer('"commit":true', state)

    def wait(self, seconds: float) -> bool:
        """Sleeps, and hears the host meanwhile; true if the source is to stop, which also ends the wait."""
        end = time.monotonic() + seconds
        try:
            while not self.stopping and self._hear(max(0.0, end - time.monotonic())):
                pass
        except _HostClosed:
            self.stopping = True
        return self.stopping

    def _work(self) -> None:
        events = iter(self.events())
        for item in events:
            self._host.add([item] if isinstance(item, dict) else item)
            self._host.flush()
            if self.wait(0):
                break
        getattr(events, "close", lambda: None)()
        self._host.add(self.drain())
        self._host.flush('{"ended":true}')
        super()._work()  # Commands may still come, and a stop that was sent before the host had read `ended`.

    def _act(self, what: str, message: Event) -> bool:
        self.stopping = self.stopping or what == "stop"
        return what == "stop"


def run(kind: type[_Program]) -> NoReturn:
    """Lives a plugin's life and ends the process: 0 after the host has closed standard input, 1 after an error, 64 on a terminal."""
    if os.isatty(0):
        print(f"{sys.argv[0]} is a plugin that stockbus starts: name it in a configuration, as its README.md shows.", file=sys.stderr)
        sys.exit(64)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes of a terminal, and the host ends its plugins in order.
    host = _Host()
    try:
        program = kind()
        program._host = host
        program._live()
    except _HostClosed:
        sys.exit(0)
    except ProtocolError as error:
        why = f"the host does not keep to the protocol: {error}"
    except Exception as error:
        for line in traceback.format_exc().splitlines():
            host.flush(encode({"log": _text(line), "level": "debug"}))
        why = _told(error)
    host.flush(encode({"failed": _text(why)}))
    sys.exit(1)
