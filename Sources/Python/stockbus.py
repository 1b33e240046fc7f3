"""Runs of stockbus from Python: what a component publishes, as data frames with exact numbers.

    import stockbus

    bars = stockbus.print("plugins.yaml", "bars", limit=300).to_polars()    # what a configuration computes
    with stockbus.tap("bars") as tap:                                       # what a run publishes, from now on
        for batch in tap:
            print(batch.to_polars())

One file, for Python 3.9 and later, that needs nothing but Python; polars, pyarrow or pandas only where a frame of theirs is asked for. It speaks to
runs of this user through their control sockets; the program `stockbus`, for `run` and `print`, is the one that the variable STOCKBUS names,
or that of PATH. Whatever goes wrong is an `Error` with a sentence for people.
"""
from __future__ import annotations

import atexit
import collections
import http.client
import io
import json
import os
import signal
import socket
import stat
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from decimal import Decimal
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Optional, Union
from urllib.parse import quote, urlencode

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = ["Batch", "Error", "Run", "Tap", "print", "run", "runs", "status", "tap", "tell"]

Path = Union[str, "os.PathLike[str]"]
# A file of a configuration, or a folder, or several of them, which are one configuration.
Config = Union[Path, Sequence[Path]]

_SILENCE = 60.0  # seconds without an answer after which a run is given up: a tap says every 15 that it is there
_MESSAGE_LIMIT = 256 << 20  # bytes
_END = b"\xff\xff\xff\xff\0\0\0\0"  # of a stream


class Error(Exception):
    """What went wrong, as the program says it."""


# Batches


class Batch:
    """Rows of a table. Prices and sizes are exact, times are in nanoseconds."""

    def __init__(self, schema: bytes, messages: Sequence[Union[bytes, bytearray]], rows: int, left_out: int = 0) -> None:
        self._schema, self._messages, self._rows = schema, messages, rows
        #: How many events the run had left out by then, because this client had not read them in time.
        self.left_out = left_out

    def __len__(self) -> int:
        return self._rows

    def __repr__(self) -> str:
        return f"<{self._rows} rows: {', '.join(self.columns)}>"

    def to_bytes(self) -> bytes:
        """An Arrow stream, for other readers and for files."""
        return b"".join([self._schema, *self._messages, _END])

    def to_polars(self) -> polars.DataFrame:
        import polars

        return polars.read_ipc_stream(io.BytesIO(self.to_bytes()))

    def to_arrow(self) -> pyarrow.Table:
        import pyarrow

        return pyarrow.ipc.open_stream(pyarrow.py_buffer(self.to_bytes())).read_all()

    def to_pandas(self) -> pandas.DataFrame:
        return self.to_arrow().to_pandas()

    @property
    def columns(self) -> list[str]:
        return [field.name for field in _fields(self._schema)]

    def rows(self) -> list[dict[str, Any]]:
        """The rows without any package: prices are `Decimal`; times and durations whole numbers of nanoseconds, times since 1970."""
        fields = _fields(self._schema)
        names = [field.name for field in fields]
        texts: dict[int, list[str]] = {}
        rows: list[dict[str, Any]] = []
        with _spoken():
            for data in self._messages:
                message = _Message(memoryview(data))
                if message.kind == _DICTIONARY:
                    texts[message.header.number(0, "q")] = _texts(message)
                else:
                    rows += [dict(zip(names, row)) for row in zip(*_columns(message, fields, texts))]
        return rows


class _Table:
    """A table of a FlatBuffer, in which Arrow describes its messages."""

    def __init__(self, data: memoryview, place: int) -> None:
        self.data = data
        self.at = place + self._get("I", place)
        self.slots = self.at - self._get("i", self.at)
        self.size = self._get("H", self.slots)

    def _get(self, form: str, place: int) -> int:
        value: int = struct.unpack_from("<" + form, self.data, place)[0]
        return value

    def _place(self, field: int) -> int:
        """Where a field stands; 0 if it is left out."""
        slot = 4 + 2 * field
        offset = self._get("H", self.slots + slot) if slot < self.size else 0
        return self.at + offset if offset else 0

    def number(self, field: int, form: str, default: int = 0) -> int:
        place = self._place(field)
        return self._get(form, place) if place else default

    def table(self, field: int) -> Optional[_Table]:
        place = self._place(field)
        return _Table(self.data, place) if place else None

    def needed(self, field: int) -> _Table:
        table = self.table(field)
        if table is None:
            raise Error("the run's stream is malformed")
        return table

    def span(self, field: int) -> tuple[int, int]:
        """The place of the first element, and how many there are."""
        place = self._place(field)
        if not place:
            return 0, 0
        start = place + self._get("I", place)
        return start + 4, self._get("I", start)

    def tables(self, field: int) -> list[_Table]:
        start, count = self.span(field)
        return [_Table(self.data, start + 4 * i) for i in range(count)]

    def pairs(self, field: int, form: str) -> list[tuple[int, int]]:
        """A list of structures of two numbers."""
        start, count = self.span(field)
        return list(struct.iter_unpack("<" + form, self.data[start : start + struct.calcsize("<" + form) * count]))

    def text(self, field: int) -> str:
        start, count = self.span(field)
        return str(self.data[start : start + count], "utf-8")


_SCHEMA, _DICTIONARY, _BATCH = 1, 2, 3  # kinds of messages
_INTEGER, _BOOL, _DECIMAL, _TIMESTAMP, _DURATION = 2, 6, 7, 10, 18  # types of columns


class _Message:
    """A message of an Arrow stream: eight bytes with the length of its description, the description, and the body."""

    def __init__(self, data: memoryview) -> None:
        length = struct.unpack_from("<i", data, 4)[0]
        root = _Table(data[8 : 8 + length], 0)
        self.kind = root.number(1, "B")
        self.header = root.needed(2)
        self.size = 8 + length + root.number(3, "q")
        self.body = data[8 + length :]
        self.metadata = {pair.text(0): pair.text(1) for pair in root.tables(4)}

    @property
    def rows(self) -> int:
        return self.header.number(0, "q") if self.kind == _BATCH else 0


class _Field:
    def __init__(self, table: _Table) -> None:
        self.name, self.type = table.text(0), table.number(2, "B")
        self.decimals = table.needed(3).number(1, "i") if self.type == _DECIMAL else 0
        dictionary = table.table(4)
        self.dictionary = None if dictionary is None else dictionary.number(0, "q")


def _fields(schema: bytes) -> list[_Field]:
    return [_Field(table) for table in _Message(memoryview(schema)).header.tables(1)]


def _texts(message: _Message) -> list[str]:
    """The texts of a dictionary."""
    data = message.header.needed(1)
    (_, _), (starts, _), (texts, _) = data.pairs(2, "qq")
    count, body = data.number(0, "q"), message.body
    ends = struct.unpack_from(f"<{count + 1}i", body, starts)
    return [str(body[texts + ends[i] : texts + ends[i + 1]], "utf-8") for i in range(count)]


def _columns(message: _Message, fields: list[_Field], texts: dict[int, list[str]]) -> list[list[Any]]:
    count, body = message.rows, message.body
    buffers = iter(message.header.pairs(2, "qq"))
    columns: list[list[Any]] = []
    for field, (_, missing) in zip(fields, message.header.pairs(1, "qq")):
        (present, _), (start, size) = next(buffers), next(buffers)
        values: list[Any]
        if field.dictionary is not None:
            names = texts[field.dictionary]
            # A missing value has a number too, even where there is no text.
            values = [names[i] if i < len(names) else None for i in struct.unpack_from(f"<{count}i", body, start)]
        elif field.type == _DECIMAL:
            units = memoryview(body[start : start + size]).cast("B")
            scale = -field.decimals
            values = [Decimal(int.from_bytes(units[i : i + 16], "little", signed=True)).scaleb(scale) for i in range(0, 16 * count, 16)]
        elif field.type == _BOOL:
            values = [bool(body[start + i // 8] >> i % 8 & 1) for i in range(count)]
        elif field.type in (_INTEGER, _TIMESTAMP, _DURATION):
            values = list(struct.unpack_from(f"<{count}q", body, start))
        else:
            raise Error(f"the column '{field.name}' is of a type that this version does not know")
        if missing:
            values = [value if body[present + i // 8] >> i % 8 & 1 else None for i, value in enumerate(values)]
        columns.append(values)
    return columns


class _Stream:
    """Reads the messages of an Arrow stream, and makes batches of them."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source = source
        # The texts of each column, as its last dictionary has them.
        self._dictionaries: dict[int, bytearray] = {}
        self.schema = bytes(self._expect()[1])
        _fields(self.schema)

    def _fill(self, view: memoryview) -> None:
        while view:
            count = self._source.readinto(view)  # type: ignore[attr-defined]
            if not count:
                raise EOFError
            view = view[count:]

    def _message(self) -> Optional[tuple[_Message, bytearray]]:
        """Nil at the end of the stream."""
        data = bytearray(8)
        self._fill(memoryview(data))
        mark, length = struct.unpack("<Ii", data)
        if mark != 0xFFFFFFFF or not 0 <= length <= _MESSAGE_LIMIT:
            raise Error("the run's stream is malformed")
        if length == 0:
            return None
        data = bytearray(8 + length)
        struct.pack_into("<Ii", data, 0, mark, length)
        self._fill(memoryview(data)[8:])
        size = _Message(memoryview(data)).size
        if not len(data) <= size <= _MESSAGE_LIMIT:
            raise Error("the run's stream is malformed")
        whole = bytearray(size)
        whole[: len(data)] = data
        self._fill(memoryview(whole)[len(data) :])
        return _Message(memoryview(whole)), whole

    def _expect(self) -> tuple[_Message, bytearray]:
        message = self._message()
        if message is None:
            raise Error("the run's stream is malformed")
        return message

    def next(self) -> Optional[tuple[Batch, dict[str, str]]]:
        """The next batch, which may have no rows, and what its message says beside it; nil at the end."""
        while True:
            read = self._message()
            if read is None:
                return None
            message, data = read
            if message.kind == _DICTIONARY:
                self._dictionaries[message.header.number(0, "q")] = data
            elif message.kind == _BATCH:
                left_out = int(message.metadata.get("stockbus.left_out", "0"))
                return Batch(self.schema, [*self._dictionaries.values(), data], message.rows, left_out), message.metadata


def _joined(schema: bytes, batches: Sequence[Batch]) -> Batch:
    # A dictionary is written where it is new, and is that of all batches up to the next one.
    messages = {id(message): message for batch in batches for message in batch._messages}
    return Batch(schema, list(messages.values()), sum(map(len, batches)), batches[-1].left_out if batches else 0)


def _whole(source: IO[bytes]) -> Batch:
    """A stream up to its end."""
    with _spoken():
        stream = _Stream(source)
        batches: list[Batch] = []
        while True:
            read = stream.next()
            if read is None:
                return _joined(stream.schema, batches)
            batches.append(read[0])


class Tap(Iterator[Batch]):
    """What a component publishes, batch by batch as they come, until the end, or until this is closed: `with` closes it.

    The run never waits for it: what is not read in time is left out, and counted in `left_out`.
    """

    def __init__(self, path: str, target: str) -> None:
        #: How many events were left out so far, because this client did not read them in time.
        self.left_out = 0
        #: Why there are no more; `None` before the end.
        self.end: Optional[str] = None
        self._connection, self._response = _ask(path, "GET", target)
        try:
            with _spoken():
                self._stream = _Stream(self._response)
                # The run follows the component before it says anything, so that nothing is missed from here on.
                self._first = self._read()
        except BaseException:
            self.close()
            raise

    def _read(self) -> Optional[Batch]:
        read = self._stream.next()
        if read is None:
            self.end = self.end or "the run has ended"
            self.close()
            return None
        batch, metadata = read
        self.left_out = batch.left_out
        self.end = metadata.get("stockbus.end", self.end)
        return batch

    def __iter__(self) -> Tap:
        return self

    def __next__(self) -> Batch:
        with _spoken():
            while True:
                batch, self._first = self._first, None
                if batch is None:
                    if self._response.closed:
                        raise StopIteration
                    batch = self._read()
                if batch is None:
                    raise StopIteration
                if len(batch):
                    return batch

    def read(self) -> Batch:
        """All that comes until the end, as one batch: for a tap with a `limit`, or with `seconds`."""
        with self:
            batches = list(self)
        whole = _joined(self._stream.schema, batches)
        whole.left_out = self.left_out
        return whole

    def close(self) -> None:
        self._response.close()
        self._connection.close()

    def __enter__(self) -> Tap:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


# Runs


class _spoken:
    """Turns what goes wrong on a connection to a run into an `Error`."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException], _: Optional[TracebackType]) -> None:
        if isinstance(error, socket.timeout):
            raise Error(f"the run has not answered for {_SILENCE:.0f} seconds") from None
        if isinstance(error, (EOFError, OSError, http.client.HTTPException)):
            raise Error("the run has broken off: it was killed, or it has waited for its reader for more than a minute") from None
        if isinstance(error, (struct.error, UnicodeDecodeError, ValueError, KeyError, IndexError)):
            raise Error("the run's answer is malformed") from None


def _ask(
    path: str, method: str, target: str, body: Any = None, silence: Optional[float] = _SILENCE,
) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
    """Sends a request to the socket at a path. An answer other than success is an `Error`."""
    connection = http.client.HTTPConnection("localhost")
    try:
        try:
            connection.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.sock.settimeout(silence)
            connection.sock.connect(path)
        except OSError as error:
            raise Error(f"the run has ended: {path}: {error.strerror or error}") from None
        with _spoken():
            text = None if body is None else json.dumps(body)
            connection.request(method, target, text, {} if body is None else {"Content-Type": "application/json"})
            response = connection.getresponse()
            if response.status != 200:
                raise Error(_refusal(response))
    except BaseException:
        connection.close()
        raise
    return connection, response


def _refusal(response: http.client.HTTPResponse) -> str:
    try:
        return str(json.loads(response.read())["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return f"the run answers with {response.status}"


def _document(path: str, method: str, target: str, body: Any = None, silence: Optional[float] = _SILENCE) -> dict[str, Any]:
    connection, response = _ask(path, method, target, body, silence)
    try:
        with _spoken():
            document = json.loads(response.read())
    finally:
        connection.close()
    if not isinstance(document, dict):
        raise Error("the run's answer is malformed")
    return document


class Run:
    """A run that goes on. One that `run` has started ends with its `with`, or when Python exits."""

    def __init__(self, pid: int, path: str) -> None:
        #: The number of its process.
        self.pid = pid
        #: Its socket.
        self.path = path
        #: Its name, and the files of its configuration; empty if it does not answer.
        self.name = ""
        self.configuration: list[str] = []
        self._lines: collections.deque[str] = collections.deque(maxlen=200)

    @property
    def output(self) -> str:
        """The last lines that it has written, if this process has started it."""
        return "\n".join(self._lines)

    def __repr__(self) -> str:
        return f"<run {self.name or '?'}, process {self.pid}>"

    def _identify(self, silence: float) -> dict[str, Any]:
        document = _document(self.path, "GET", "/status", silence=silence)
        self.name, self.configuration = str(document.get("name", "")), [str(path) for path in document.get("configuration", [])]
        return document

    def status(self) -> dict[str, Any]:
        """What `stockbus status --json` prints."""
        return _document(self.path, "GET", "/status")

    def tap(
        self, component: str, *, where: Optional[str] = None, fields: Union[str, Sequence[str], None] = None,
        limit: Optional[int] = None, seconds: Optional[float] = None,
    ) -> Tap:
        """What a component publishes from now on, of which a condition, some fields, so many rows and so long a time may be chosen."""
        query = {"format": "arrow"}
        if where is not None:
            query["where"] = where
        if fields is not None:
            query["fields"] = fields if isinstance(fields, str) else ",".join(fields)
        if limit is not None:
            query["limit"] = str(limit)
        if seconds is not None:
            query["for"] = f"{seconds * 1000:.0f}ms"
        return Tap(self.path, f"/components/{quote(component, safe='')}/tap?{urlencode(query, quote_via=quote)}")

    def tell(self, component: str, line: str) -> str:
        """Gives a component a command; returns its reply."""
        return str(_document(self.path, "POST", f"/components/{quote(component, safe='')}/commands", {"line": line}).get("reply", ""))

    def stop(self) -> int:
        """Ends the run gracefully: sources end, everything else drains. Returns its exit status when it has ended."""
        return int(_document(self.path, "POST", "/stop", silence=None).get("status", 0))

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class _Child(Run):
    """A run that this process has started."""

    def __init__(self, config: Config) -> None:
        # In a session of its own, as Ctrl-C is for this process, which then ends the run.
        self._process = subprocess.Popen(
            [_program(), "run", *_paths(config)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        super().__init__(self._process.pid, os.path.join(_folder(), f"{self._process.pid}.sock"))
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()
        atexit.register(self.stop)
        try:
            self._wait()
        except BaseException:
            self.stop()
            raise

    def _listen(self) -> None:
        assert self._process.stdout
        with self._process.stdout as output:
            for line in output:
                self._lines.append(line.decode(errors="replace").rstrip("\n"))

    def _wait(self) -> None:
        """Returns when the run can be asked and its components have begun, or when it has ended well."""
        give_up = time.monotonic() + _SILENCE
        while True:
            code = self._process.poll()
            if code is not None:
                self._reader.join()
                if code:
                    raise Error(_sentence(self.output, code))
                return
            try:
                states = {component.get("state") for component in self._identify(_SILENCE).get("components", [])}
                if not states & {"planned", "starting"}:
                    return
            except Error:
                if time.monotonic() > give_up:
                    raise Error(f"the run does not answer:\n{self.output}") from None
            time.sleep(0.02)

    def stop(self) -> int:
        atexit.unregister(self.stop)
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            code = self._process.wait()
        except BaseException:
            # Whoever interrupts the wait does not want it to end gracefully.
            self._process.kill()
            self._process.wait()
            raise
        self._reader.join()
        return code

    def __exit__(self, *_: object) -> None:
        self.stop()


def _folder() -> str:
    """Where the runs of this user have their sockets. A folder that somebody else may enter is none: its owner could take the place of a run."""

    def is_own(path: str) -> bool:
        try:
            found = os.lstat(path)
        except OSError:
            return False
        return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077

    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    folder = os.path.join(runtime, "stockbus") if runtime.startswith("/") and is_own(runtime) else f"/tmp/stockbus-{os.geteuid()}"
    if os.path.lexists(folder) and not is_own(folder):
        raise Error(f"{folder}: it belongs to another user, or other users may enter it")
    return folder


def _program() -> str:
    return os.environ.get("STOCKBUS") or "stockbus"


def _paths(config: Config) -> list[str]:
    return [os.fspath(config)] if isinstance(config, (str, os.PathLike)) else [os.fspath(path) for path in config]


def _sentence(output: str, code: int) -> str:
    """What the program has said about its end."""
    text = output.strip()
    return text[len("Error: ") :] if text.startswith("Error: ") else text or f"the program has ended with status {code}"


def runs() -> list[Run]:
    """The runs of this user that go on, by their processes."""
    folder, found = _folder(), []
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        stem, extension = os.path.splitext(name)
        if extension != ".sock" or not stem.isdecimal():
            continue
        run = Run(int(stem), os.path.join(folder, name))
        try:
            run._identify(5)
        except Error:
            try:
                os.kill(run.pid, 0)
            except (OSError, OverflowError):
                continue  # A killed process leaves its socket behind.
        found.append(run)
    return sorted(found, key=lambda run: run.pid)


def _choose(wanted: Union[Run, str, int, None]) -> Run:
    """The run of this name or process. Without one it is the only run, or of several the only one whose configuration is in this folder."""
    if isinstance(wanted, Run):
        return wanted
    there = runs()
    named = [run for run in there if wanted is None or str(wanted) in (run.name, str(run.pid))]
    if wanted is None and len(named) > 1:
        here = os.getcwd()
        near = [run for run in named if any(os.path.dirname(path) == here or path == here for path in run.configuration)]
        named = near if len(near) == 1 else named
    listed = "\n".join(f"  run={run.name!r}  run={run.pid}  {' '.join(run.configuration) or 'does not answer'}" for run in named or there)
    if not there:
        raise Error("there are no runs; stockbus.run(\"plugins.yaml\") starts one")
    if not named:
        raise Error(f"no run {str(wanted)!r}; there are:\n{listed}")
    if len(named) > 1:
        raise Error(f"which run? Add one of these:\n{listed}")
    return named[0]


# What is for everybody


def status(run: Union[Run, str, int, None] = None) -> dict[str, Any]:
    """What `stockbus status --json` prints: components with their states, edges with their events, counters."""
    return _choose(run).status()


def tap(
    component: str, *, where: Optional[str] = None, fields: Union[str, Sequence[str], None] = None, limit: Optional[int] = None,
    seconds: Optional[float] = None, run: Union[Run, str, int, None] = None,
) -> Tap:
    """What a component of a run publishes, from now on."""
    return _choose(run).tap(component, where=where, fields=fields, limit=limit, seconds=seconds)


def tell(component: str, line: str, run: Union[Run, str, int, None] = None) -> str:
    """Gives a component of a run a command, such as `tell("ticks", "raise AAPL 10")`; returns its reply."""
    return _choose(run).tell(component, line)


def run(config: Config) -> Run:
    """Starts a run, which ends with its `with`: `with stockbus.run("plugins.yaml") as run: …`. Returns when it can be asked."""
    with _found():
        return _Child(config)


def print(
    config: Config, component: Optional[str] = None, *, where: Optional[str] = None, fields: Union[str, Sequence[str], None] = None,
    limit: Optional[int] = None, once: bool = False,
) -> Batch:
    """What a component of a configuration publishes until its data end, or until `limit` rows; with `once` its state at the end.

    Without a component it is the one that the first sink reads. Nothing else is changed or sent: the sinks do not run.
    """
    command = [_program(), "print", "--format", "arrow"]
    if component is not None:
        command += ["--from", component]
    if where is not None:
        command += ["--where", where]
    if fields is not None:
        command += ["--fields", fields if isinstance(fields, str) else ",".join(fields)]
    if limit is not None:
        command += ["--limit", str(limit)]
    if once:
        command += ["--once"]
    with _found():
        done = subprocess.run([*command, *_paths(config)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said = done.stderr.decode(errors="replace")
    if done.returncode:
        raise Error(_sentence(said, done.returncode))
    if said:
        sys.stderr.write(said)
    return _whole(io.BytesIO(done.stdout))


class _found:
    """Turns a program that cannot be started into an `Error`."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException], _: Optional[TracebackType]) -> None:
        if isinstance(error, OSError):
            raise Error(f"the program '{_program()}' cannot be started: {error.strerror}; the variable STOCKBUS names it, or PATH has it") from None
