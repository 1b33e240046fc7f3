"""Plays the host over real pipes: python3 -m unittest discover -s Examples/plugins/python

No test depends on how fast anything is. A watchdog kills a program that hangs, and its test then fails at the end of the pipe.
"""
from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from decimal import Decimal
from pathlib import Path
from typing import Any, Optional

HERE = Path(__file__).resolve().parent
WATCHDOG = 60
HEAD = "from stockbus_plugin import *\nfrom decimal import Decimal\nimport os, sys\n"
PASS = HEAD + """
class Pass(Processor):
    def process(self, event): yield event
run(Pass)
"""
COUNT = HEAD + """
class Count(Processor):
    emits = "trade"
    filtering = False
    def start(self, options, state): self.count, self.held = state or (0, [])
    def state(self): return [self.count, self.held]
    def process(self, event):
        self.count += 1
        self.held.append({**event, "n": self.count})
    def drain(self): return self.held
    def hand_over(self): pass
    def command(self, words):
        if words[0] == "add":
            self.count += int(words[1])
        elif words[0] != "count":
            raise Refused(f"there is no {words[0]}")
        return f"{self.count} came"
run(Count)
"""
NUMBERS = HEAD + """
class Numbers(Source):
    commits = True
    def start(self, options, state): self.next, self.upto = int(state or 1), int(options["upto"])
    def events(self):
        while self.next <= self.upto:
            yield {"n": self.next}
            self.next += 1
            if self.next % 2:
                self.commit(self.next)
run(Numbers)
"""
ENDLESS = HEAD + """
class Endless(Source):
    def command(self, words): return "hello " + words[1]
    def events(self):
        try:
            while True:
                yield [{"n": 1}, {"n": 2}]
        finally:
            self.log("closed", "notice")
    def drain(self): yield {"n": "last"}
run(Endless)
"""
WAITING = HEAD + """
class Waiting(Source):
    def command(self, words): return "hello " + words[1]
    def events(self):
        yield None
        self.log("waits")
        self.wait(100000)
        yield {"n": 1}
        yield {"n": 2}
run(Waiting)
"""


class Program:
    """A program under test, with its pipes; its standard error goes into a file, so that it cannot block."""

    def __init__(self, folder: str, program: str, kind: str = "processor", stdin: int = subprocess.PIPE) -> None:
        path = HERE / program if program.endswith(".py") else Path(folder) / "plugin.py"
        if path.parent != HERE:
            path.write_text(program, encoding="utf-8")
        self.kind = kind
        self.errors_file = open(Path(folder) / "errors.txt", "w+", encoding="utf-8")
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(HERE), "PYTHONDONTWRITEBYTECODE": "1"}
        self.process = subprocess.Popen(
            [sys.executable, str(path)], stdin=stdin, stdout=subprocess.PIPE, stderr=self.errors_file, env=environment, cwd=folder
        )
        self.watchdog = threading.Timer(WATCHDOG, self.process.kill)
        self.watchdog.start()

    def write(self, data: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, text: str) -> None:
        self.write(text.encode() + b"\n")

    def line(self) -> str:
        """The next message as it was written; empty at the end."""
        assert self.process.stdout
        return self.process.stdout.readline().decode().rstrip("\n")

    def ask(self, text: str) -> str:
        self.send(text)
        return self.line()

    def begin(self, options: str = "{}", state: Optional[str] = None, hello: str = "") -> dict[str, Any]:
        """The life up to `ready`; returns the answer to `hello`."""
        answer = json.loads(self.ask(hello or f'{{"hello":1,"component":"it","kind":"{self.kind}","takes":"trade","emits":"trade"}}'))
        ready = self.ask(f'{{"start":{options},"seed":42' + (f',"state":{state}' if state else "") + "}")
        assert ready == '{"ready":true}', ready
        assert isinstance(answer, dict)
        return answer

    def end(self) -> int:
        """Closes the input; returns the exit status. What the program still writes is an error."""
        assert self.process.stdin and self.process.stdout
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        rest = self.process.stdout.read()
        assert not rest, rest
        return self.process.wait()

    def errors(self) -> str:
        self.process.wait()
        self.errors_file.seek(0)
        return self.errors_file.read()

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.watchdog.cancel()
        self.watchdog.join()
        for file in (self.process.stdin, self.process.stdout, self.errors_file):
            try:
                if file:
                    file.close()
            except BrokenPipeError:
                pass


class PluginTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def program(self, program: str, kind: str = "processor", stdin: int = subprocess.PIPE) -> Program:
        made = Program(self.folder, program, kind, stdin)
        self.addCleanup(made.close)
        return made

    def processing(self, lines: str) -> Program:
        """A started processor whose class has these lines."""
        program = self.program(HEAD + "class P(Processor):\n    " + lines.replace("\n", "\n    ") + "\nrun(P)\n")
        program.begin()
        return program

    def assert_failed(self, program: Program, text: str) -> list[str]:
        """Returns the lines for the log that come before."""
        lines: list[str] = []
        while (last := program.line()).startswith('{"log":'):
            self.assertEqual(json.loads(last)["level"], "debug")
            lines.append(json.loads(last)["log"])
        self.assertIn('{"failed":', last)
        self.assertIn(text, json.loads(last)["failed"])
        self.assertEqual(program.line(), "")
        self.assertEqual(program.process.wait(), 1)
        return lines


class Lives(PluginTest):
    def test_a_processor_from_hello_to_its_end(self) -> None:
        cheap = self.program("cheap.py")
        self.assertEqual(cheap.begin('{"below":100}'), {"hello": 1, "name": "cheap.py", "takes": ["trade"], "emits": "trade"})
        cheap.send('{"events":[{"symbol":"AAPL","price":87.12},{"symbol":"MSFT","price":100.00},{"symbol":"A","price":1E+2}],"last":3}')
        self.assertEqual(cheap.line(), '{"events":[{"symbol":"AAPL","price":87.12}]}')
        self.assertEqual(cheap.line(), '{"done":3,"filtered":2}')
        self.assertEqual(cheap.ask('{"events":[{"symbol":"A","price":100}],"last":4}'), '{"done":4,"filtered":1}')
        self.assertEqual(cheap.ask('{"drain":true}'), '{"drained":true}')
        self.assertEqual(cheap.end(), 0)
        self.assertEqual(cheap.errors(), "")

    def test_messages_that_come_together_or_in_pieces_are_answered_one_by_one(self) -> None:
        program = self.program(PASS)
        program.begin()
        messages = b'{"events":[{"n":1}],"last":1}\n{"events":[{"n":2}],"last":2}\n{"drain":true}\n'
        for at in range(0, len(messages), 7):
            program.write(messages[at : at + 7])
        expected = ['{"events":[{"n":1}]}', '{"done":1}', '{"events":[{"n":2}]}', '{"done":2}', '{"drained":true}']
        self.assertEqual([program.line() for _ in expected], expected)
        self.assertEqual(program.end(), 0)

    def test_a_source_that_commits_from_hello_to_its_end(self) -> None:
        source = self.program(NUMBERS, "source")
        self.assertEqual(source.begin('{"upto":3}', hello='{"hello":7,"kind":"source","takes":null,"emits":"trade"}')["hello"], 1)
        expected = ['{"events":[{"n":1}]}', '{"events":[{"n":2}]}', '{"commit":true,"state":3}', '{"events":[{"n":3}]}', '{"ended":true}']
        self.assertEqual([source.line() for _ in expected], expected)
        source.send('{"stop":true}')
        self.assertEqual(source.end(), 0)

    def test_a_source_goes_on_at_its_state(self) -> None:
        source = self.program(NUMBERS, "source")
        source.begin('{"upto":3}', state="3")
        self.assertEqual([source.line(), source.line()], ['{"events":[{"n":3}]}', '{"ended":true}'])
        self.assertEqual(source.end(), 0)

    def test_a_sink_counts_on_after_a_restart_and_writes_at_the_end(self) -> None:
        first = self.program("tally.py", "sink")
        self.assertEqual(first.begin('{"path":"tally.csv"}'), {"hello": 1, "name": "tally.py"})
        self.assertEqual(first.ask('{"events":[{"symbol":"MSFT"},{"symbol":"A"}],"last":2}'), '{"done":2,"state":{"MSFT":1,"A":1}}')
        self.assertEqual(first.ask('{"hand_over":true}'), '{"drained":true,"state":{"MSFT":1,"A":1}}')
        self.assertEqual(first.end(), 0)
        self.assertFalse((Path(self.folder) / "tally.csv").exists())
        second = self.program("tally.py", "sink")
        second.begin('{"path":"tally.csv"}', state='{"MSFT":1,"A":1}')
        self.assertEqual(second.ask('{"events":[{"symbol":"A"}],"last":1}'), '{"done":1,"state":{"MSFT":1,"A":2}}')
        self.assertEqual(second.ask('{"drain":true}'), '{"drained":true,"state":{"MSFT":1,"A":2}}')
        self.assertEqual(second.end(), 0)
        self.assertEqual((Path(self.folder) / "tally.csv").read_bytes(), b"symbol,count\nA,2\nMSFT,1\n")

    def test_drain_sends_what_is_held_back_and_hand_over_keeps_it(self) -> None:
        for last, lines in [
            ("drain", ['{"events":[{"p":1.50,"n":1}]}', '{"drained":true,"state":[1,[{"p":1.50,"n":1}]]}']),
            ("hand_over", ['{"drained":true,"state":[1,[{"p":1.50,"n":1}]]}']),
        ]:
            program = self.program(COUNT)
            program.begin()
            self.assertEqual(program.ask('{"events":[{"p":1.50}],"last":1}'), '{"done":1,"state":[1,[{"p":1.50,"n":1}]]}')
            program.send(f'{{"{last}":true}}')
            self.assertEqual([program.line() for _ in lines], lines)
            self.assertEqual(program.end(), 0)

    def test_the_end_of_the_input_ends_a_program_at_any_place(self) -> None:
        for place in ("", '{"hello":1,"kind":"source"}\n', '{"hello":1,"kind":"source"}\n{"start":{}}\n', '{"hel'):
            program = self.program(WAITING, "source")
            assert program.process.stdin and program.process.stdout
            program.write(place.encode())
            program.process.stdin.close()
            program.process.stdout.read()
            self.assertEqual(program.process.wait(), 0)
            self.assertEqual(program.errors(), "")


class Columns(PluginTest):
    def test_columns_come_as_members_and_what_is_added_is_said_in_hello_and_sent_digit_by_digit(self) -> None:
        program = self.program(HEAD + """
class Marked(Processor):
    columns = {"double": "number", "over": "flag"}
    def process(self, event):
        vwap = event["vwap"]
        yield {**event, "double": None if vwap is None else 2 * vwap, "over": event["price"] > (vwap or 0)}
run(Marked)
""")
        hello = '{"hello":1,"kind":"processor","takes":"trade","emits":"trade","columns":[{"name":"vwap","kind":"number"}],"framings":["lines"]}'
        columns = [{"name": "double", "kind": "number"}, {"name": "over", "kind": "flag"}]
        self.assertEqual(program.begin(hello=hello), {"hello": 1, "name": "plugin.py", "columns": columns})
        program.send('{"events":[{"price":3,"vwap":100.123456789},{"price":1.50,"vwap":null}],"last":2}')
        self.assertEqual(
            program.line(),
            '{"events":[{"price":3,"vwap":100.123456789,"double":200.246913578,"over":false},'
            '{"price":1.50,"vwap":null,"double":null,"over":true}]}',
        )
        self.assertEqual(program.line(), '{"done":2}')
        self.assertEqual(program.ask('{"drain":true}'), '{"drained":true}')
        self.assertEqual(program.end(), 0)

    def test_a_kind_that_nobody_knows_fails_the_start(self) -> None:
        program = self.program(HEAD + 'class P(Processor):\n    columns = {"vwap": "float"}\nrun(P)\n')
        program.send('{"hello":1,"kind":"processor"}')
        self.assert_failed(program, "the column 'vwap' is a float; there are number, percent, duration, time, flag")


class Sources(PluginTest):
    def test_stop_ends_a_source_that_never_waits_and_closes_its_generator(self) -> None:
        source = self.program(ENDLESS, "source")
        source.begin()
        self.assertEqual(source.line(), '{"events":[{"n":1},{"n":2}]}')
        source.send('{"stop":true}')
        line = source.line()
        while line == '{"events":[{"n":1},{"n":2}]}':
            line = source.line()
        rest = [line, source.line(), source.line()]
        self.assertEqual(rest, ['{"log":"closed","level":"notice"}', '{"events":[{"n":"last"}]}', '{"ended":true}'])
        self.assertEqual(source.ask('{"command":"hello again"}'), '{"reply":"hello again"}')
        self.assertEqual(source.end(), 0)

    def test_stop_ends_a_wait_and_the_source_after_what_it_yields_then(self) -> None:
        source = self.program(WAITING, "source")
        source.begin()
        self.assertEqual(source.line(), '{"log":"waits","level":"info"}')
        self.assertEqual(source.ask('{"command":"hello you"}'), '{"reply":"hello you"}')
        self.assertEqual(source.ask('{"stop":true}'), '{"events":[{"n":1}]}')
        self.assertEqual(source.line(), '{"ended":true}')
        self.assertEqual(source.end(), 0)

    def test_headlines_are_scored_and_a_bad_row_is_rejected_and_the_state_is_the_row(self) -> None:
        source = self.program("sentiment.py", "source")
        self.assertEqual(source.begin(), {"hello": 1, "name": "sentiment.py", "emits": "alert", "commits": True})
        lines: list[str] = []
        while not lines or lines[-1] != '{"ended":true}':
            lines.append(source.line())
        self.assertEqual(
            lines[0],
            '{"events":[{"symbol":"AAPL","price":167.40,"rule":"sentiment +4",'
            '"message":"Orders beat forecasts as record demand lifts the maker of telephones","time":"2013-10-08T13:30:00Z"}]}',
        )
        self.assertEqual([line for line in lines if "commit" in line], [f'{{"commit":true,"state":{{"read":{n}}}}}' for n in range(1, 7)])
        [rejected] = [json.loads(line) for line in lines if "reject" in line]
        self.assertEqual(rejected["origin"], f"{HERE}/headlines.csv:5")
        self.assertEqual(rejected["reason"], "'' is no price")
        self.assertEqual([json.loads(line)["events"][0]["rule"] for line in lines if "events" in line][1:], [
            "sentiment -4", "sentiment -3", "sentiment +3",
        ])
        self.assertEqual(source.end(), 0)
        again = self.program("sentiment.py", "source")
        again.begin(state='{"read":5}')
        self.assertIn('"price":15.580,"rule":"sentiment +3"', again.line())


class Numbers(PluginTest):
    def test_decimals_come_out_with_the_digits_that_came_in(self) -> None:
        plain = "167.40,0.00,-0.0,100,-7,0.000000001,9223372036.854775807,12345678901234567890123456789012345.678901234567890"
        numbers, written = f"[{plain},1e3,1.50E-8,2E+3]", f"[{plain},1000,0.0000000150,2000]"
        program = self.program(PASS)
        program.begin()
        self.assertEqual(program.ask(f'{{"events":[{{"n":{numbers}}}],"last":1}}'), f'{{"events":[{{"n":{written}}}]}}')

    def test_what_a_program_computes_is_written_as_plain_digits(self) -> None:
        program = self.processing('def process(self, event): yield {"a": Decimal("1E+3"), "b": Decimal("1E-9"), "c": True, "d": 2**70, "e": None}')
        self.assertEqual(
            program.ask('{"events":[{}],"last":1}'), '{"events":[{"a":1000,"b":0.000000001,"c":true,"d":1180591620717411303424,"e":null}]}'
        )

    def test_whole_numbers_are_decimals_too_so_that_a_division_is_none_of_floats(self) -> None:
        program = self.processing('def process(self, event): yield {"n": event["n"] / 8}')
        self.assertEqual(program.ask('{"events":[{"n":1}],"last":1}'), '{"events":[{"n":0.125}]}')

    def test_floats_are_rounded_to_the_nine_decimals_of_an_event(self) -> None:
        numbers = '{"a": 0.1 + 0.2, "b": 1 / 3, "c": -1e-10, "d": 1e22, "e": 0.5, "f": -2.0, "g": 100.0}'
        program = self.processing(f"def process(self, event): yield {numbers}")
        written = '{"a":0.3,"b":0.333333333,"c":0,"d":10000000000000000000000,"e":0.5,"f":-2,"g":100}'
        self.assertEqual(program.ask('{"events":[{}],"last":1}'), f'{{"events":[{written}]}}')

    def test_what_is_no_number_of_an_event_is_refused_with_the_event(self) -> None:
        for value, why in [
            ("Decimal(1) / 3", "'price' is 0.3333333333333333333333333333, and an event has at most nine decimals; write round(price, 9)"),
            ("float('nan')", "'price' is nan, which is no number"), ("Decimal('NaN')", "NaN cannot be written as plain digits"),
            ("Decimal('-Infinity')", "-Infinity cannot be written"), ("Decimal('1E+999999')", "cannot be written as plain digits"),
            ("{1}", "is a set, which is not written"),
        ]:
            program = self.processing(f'def process(self, event): yield {{"symbol": "AAPL", "price": {value}}}')
            program.send('{"events":[{}],"last":1}')
            self.assert_failed(program, why)
        program = self.processing("def process(self, event): return event")
        program.send('{"events":[{"symbol":"AAPL"}],"last":1}')
        self.assert_failed(program, "an event cannot be sent: it is not a dict; it is symbol")
        program = self.processing("def process(self, event): pass\ndef state(self): return [0.5]")
        program.send('{"events":[{}],"last":1}')
        self.assert_failed(program, "0.5 is a float")

    def test_nan_and_infinity_from_the_host_are_not_json(self) -> None:
        for text in ("NaN", "Infinity", "-Infinity"):
            program = self.program(PASS)
            program.begin()
            program.send(f'{{"events":[{{"price":{text}}}],"last":1}}')
            self.assert_failed(program, f"'{text}'")

    def test_averages_are_exact_and_go_on_at_the_state(self) -> None:
        whole = self.program("ewma.py")
        whole.begin('{"weight":0.3,"decimals":2}')
        prices = ["100.00", "101.10", "99.99", "0.01"]
        average, expected = Decimal(100), []
        for price in prices:
            average = (average * 7 + Decimal(price) * 3) / 10  # exact: few digits
            expected.append(average)
        self.assertEqual(expected[-1], Decimal("70.1626"))
        outputs, state = [], ""
        for number, price in enumerate(prices, 1):
            outputs.append(whole.ask(f'{{"events":[{{"symbol":"A","price":{price},"size":5}}],"last":{number}}}'))
            state = json.dumps(json.loads(whole.line(), parse_float=str)["state"]).replace('"', "").replace("A", '"A"')
            again = self.program("ewma.py")
            again.begin('{"weight":0.3,"decimals":2}', state=state)
            self.assertEqual(again.ask('{"drain":true}'), f'{{"drained":true,"state":{{"A":{expected[number - 1]:.18f}}}}}')
        self.assertEqual(outputs, [f'{{"events":[{{"symbol":"A","price":{each:.2f},"size":5}}]}}' for each in expected])
        self.assertEqual(outputs[-1], '{"events":[{"symbol":"A","price":70.16,"size":5}]}')

    def test_a_weight_that_is_not_possible_fails_the_start(self) -> None:
        for weight in ("0", "1.1", "0.1234567891"):
            program = self.program("ewma.py")
            program.ask('{"hello":1,"kind":"processor"}')
            program.send(f'{{"start":{{"weight":{weight}}}}}')
            self.assert_failed(program, f"ValueError: 'weight' is {weight}")


class Commands(PluginTest):
    def test_commands_are_answered_and_refused(self) -> None:
        program = self.program(COUNT)
        program.begin()
        self.assertEqual(program.ask('{"command":"  add   10 "}'), '{"reply":"10 came"}')
        self.assertEqual(program.ask('{"events":[{}],"last":1}'), '{"done":1,"state":[11,[{"n":11}]]}')
        self.assertEqual(program.ask('{"command":"count"}'), '{"reply":"11 came"}')
        self.assertEqual(program.ask('{"command":"fly"}'), '{"refused":"there is no fly"}')
        program.send('{"command":"add x"}')
        self.assert_failed(program, "ValueError: invalid literal")

    def test_a_program_without_commands_refuses_them(self) -> None:
        program = self.program(PASS)
        program.begin()
        self.assertEqual(program.ask('{"command":"raise AAPL 10"}'), '{"refused":"there are no commands"}')


class Texts(PluginTest):
    def test_log_trouble_and_rejects_go_out_before_the_answer(self) -> None:
        program = self.processing(
            'def process(self, event):\n    yield event\n    self.log("a\\nb", "debug"); self.trouble("full"); self.trouble(None)\n'
            '    self.reject("x;y", "file:17", "\\udc80 is no text")'
        )
        program.send('{"events":[{"n":"é\u2028\\u0000"}],"last":1}')
        expected = [
            '{"events":[{"n":"é\u2028\\u0000"}]}', '{"log":"a\\nb","level":"debug"}', '{"trouble":"full"}', '{"trouble":null}',
            '{"reject":"x;y","origin":"file:17","reason":"? is no text"}', '{"done":1}',
        ]
        self.assertEqual([program.line() for _ in expected], expected)

    def test_a_very_long_text_is_cut_and_fits_into_a_message(self) -> None:
        program = self.processing('def process(self, event): self.reject("\\0" * 10**6, "\\0" * 10**6, "\\0" * 10**6)')
        line = program.ask('{"events":[{}],"last":1}')
        self.assertLess(len(line), 1 << 20)
        self.assertEqual(set(map(len, json.loads(line).values())), {32768})
        self.assertEqual(program.line(), '{"done":1,"filtered":1}')

    def test_print_and_child_processes_do_not_come_between_messages(self) -> None:
        program = self.processing('def process(self, event):\n    print("printed"); os.system("echo from a child; cat"); yield event')
        self.assertEqual(program.ask('{"events":[{"n":1}],"last":1}'), '{"events":[{"n":1}]}')
        self.assertEqual(program.line(), '{"done":1}')
        self.assertEqual(program.end(), 0)
        self.assertEqual(program.errors(), "printed\nfrom a child\n")


class Sizes(PluginTest):
    def test_a_message_of_one_mebibyte_passes(self) -> None:
        program = self.program(PASS)
        program.begin()
        for letter in "xé":
            size = ((1 << 20) - len('{"events":[{"text":""}],"last":1}\n')) // len(letter.encode())
            message = f'{{"events":[{{"text":"{letter * size}"}}],"last":{1 if letter == "x" else 2}}}'
            self.assertLessEqual(len(message.encode()) + 1, 1 << 20)
            self.assertEqual(program.ask(message), f'{{"events":[{{"text":"{letter * size}"}}]}}')
            self.assertIn("done", program.line())

    def test_a_longer_one_is_an_error(self) -> None:
        program = self.program(PASS)
        program.begin()
        try:
            program.write(b'{"events":[{"text":"' + b"x" * (1 << 21))
        except BrokenPipeError:
            pass
        self.assert_failed(program, "longer than 1 MiB")

    def test_much_output_goes_out_in_several_messages_and_in_order(self) -> None:
        program = self.processing('def process(self, event):\n    for n in range(3000): yield {"n": n, "text": "x" * 1000}')
        program.send('{"events":[{}],"last":1}')
        numbers = []
        line = program.line()
        while "done" not in line:
            self.assertLess(len(line), 1 << 20)
            numbers += [event["n"] for event in json.loads(line)["events"]]
            line = program.line()
        self.assertEqual(numbers, list(range(3000)))

    def test_an_event_or_a_state_that_is_too_large_is_an_error(self) -> None:
        program = self.processing('def process(self, event): yield {"text": "x" * (1 << 20)}')
        program.send('{"events":[{}],"last":1}')
        self.assert_failed(program, "does not fit into a message")
        program = self.processing('def process(self, event): pass\ndef state(self): return "x" * 65535')
        program.send('{"events":[{}],"last":1}')
        self.assert_failed(program, "the state has 65537 bytes, and may have 65536")


class Errors(PluginTest):
    def test_what_cannot_be_sent_is_told_with_the_line_that_yields_it(self) -> None:
        program = self.processing("def process(self, event):\n    yield event\n    yield 0.5")
        program.send('{"events":[{}],"last":1}')
        self.assertEqual(program.line(), '{"events":[{}]}')
        self.assert_failed(program, "plugin.py:7: ValueError: an event cannot be sent: it is not a dict")

    def test_an_exception_of_the_author_is_told_with_its_type_and_where_it_was(self) -> None:
        for lines, sends in [
            ("def process(self, event): return 1 // 0", '{"events":[{}],"last":1}'),
            ("def process(self, event):\n    yield event\n    1 // 0", '{"events":[],"last":0}\n{"events":[{}],"last":1}'),
            ("def drain(self): 1 // 0", '{"drain":true}'),
            ("def state(self): 1 // 0", '{"drain":true}'),
        ]:
            program = self.processing(lines)
            program.send(sends)
            if "[]" in sends:
                self.assertEqual(program.line(), '{"done":0}')
                self.assertEqual(program.line(), '{"events":[{}]}')
            number = 4 + lines.count("\n") + 1
            trace = self.assert_failed(program, f"plugin.py:{number}: ZeroDivisionError: ")
            self.assertIn("Traceback", trace[0])
            self.assertEqual(program.errors(), "")

    def test_what_the_host_may_not_send_is_an_error(self) -> None:
        started = '{"hello":1,"kind":"processor"}\n{"start":{}}\n'
        for text, why in [
            ("rubbish", "not JSON"), ("", "not JSON"), ("[1]", "not an object"), ('{"hello":', "not JSON"), ("[" * 100000, "not JSON"),
            ('{"hello":1,"kind":"sink"}', "the host wants a sink, version 1; this is a processor, version 1"),
            ('{"hello":0,"kind":"processor"}', "version 0"), ('{"start":{}}', "hello should come here"),
            ('{"hello":1,"kind":"processor"}\n{"drain":true}', "start should come here"),
            (started + '{"stop":true}', "unknown, or does not belong here"), (started + '{"dance":true}', "dance"),
            (started + "{}", "unknown"), (started + '{"last":1,"events":[{}]}', "unknown"), (started + '{"start":{}}', "unknown"),
            (started + '{"events":[{}],"last":2}', "should be number 1, and not 2"), (started + '{"events":[{}]}', "and not None"),
            (started + '{"events":[{"a":"\\q"}],"last":1}', "not JSON"), (started + '{"events":[{"a":1e9999999999999999999}],"last":1}', "not JSON"),
        ]:
            with self.subTest(text[:60]):
                program = self.program(PASS)
                program.send(text)
                for _ in range(min(2, text.count("\n"))):
                    program.line()
                self.assert_failed(program, why)
        program = self.program(PASS)
        program.write(b'{"hello":1,"component":"\xff"}\n')
        self.assert_failed(program, "not JSON")

    def test_members_that_are_not_known_are_ignored(self) -> None:
        program = self.program(PASS)
        program.begin(hello='{"hello":9,"new":[{}],"kind":"processor","component":"it","zone":null}')
        self.assertEqual(program.ask('{"events":[{"new":{"a":[]}}],"priority":1,"last":1}'), '{"events":[{"new":{"a":[]}}]}')
        self.assertEqual(program.line(), '{"done":1}')
        self.assertEqual(program.ask('{"drain":true,"deadline":5}'), '{"drained":true}')

    def test_ctrl_c_does_not_end_a_program(self) -> None:
        program = self.program(PASS)
        program.begin()
        program.process.send_signal(signal.SIGINT)
        self.assertEqual(program.ask('{"events":[{"n":1}],"last":1}'), '{"events":[{"n":1}]}')
        self.assertEqual(program.line(), '{"done":1}')
        self.assertEqual(program.end(), 0)

    def test_a_host_that_has_gone_ends_a_program_quietly(self) -> None:
        program = self.processing('def process(self, event):\n    try: yield event\n    finally: print("finally")')
        assert program.process.stdout
        program.process.stdout.close()
        program.send('{"events":[{"text":"' + "x" * 300000 + '"},{"n":2}],"last":2}')
        self.assertEqual(program.process.wait(), 0)
        self.assertEqual(program.errors().replace("finally\n", ""), "")

    def test_by_hand_on_a_terminal_it_says_what_it_is(self) -> None:
        master, terminal = pty.openpty()
        program = self.program("cheap.py", stdin=terminal)
        self.assertEqual(program.line(), "")
        self.assertEqual(program.process.wait(), 64)
        self.assertRegex(program.errors(), r"^\S*cheap.py is a plugin that stockbus starts: .*\.\n$")
        os.close(terminal)
        os.close(master)


if __name__ == "__main__":
    unittest.main()
