"""A pass-through plugin in each of its homes: built in (`stockbus`), loaded, in a process of its own by frames and by lines."""
import re
import shutil
import sys

from ..machine import Failed, run
from ..rows import OUT
from ..setup import BIN, PEERS, PROJECT, WILD
from ..work import US, Contestant, Goal, Sample, Work, figure

LOADED, FRAMES = f"{US}, loaded", f"{US}, isolation: process (frames)"
MESSAGES, CAT, PYTHON = "a program in C (messages as JSON lines)", "cat (plain lines, JSON)", "a program in Python, by the helper"
PLUGINS = OUT / "homes-plugins"
SOURCE = PROJECT / "Tests" / "Support" / "WildPlugins" / "PassThrough.swift"


def config(name, processor, events):
    path = OUT / f"homes-{name}.yaml"
    path.write_text(
        f"""{f"plugin_path: [{PLUGINS}]" if "pass_loaded" in processor else ""}
sources:
  ticks: {{ plugin: generator, symbols: 25, rate: max, count: {events}, seed: 42 }}
processors:
  passed: {{ {processor}, inputs: [ticks] }}
sinks:
  end: {{ plugin: null_sink, inputs: [passed] }}
"""
    )
    return path


def loaded():
    """The same source as a loaded plugin of another name, built for this very program."""
    folder = OUT / "homes-loaded"
    shutil.rmtree(PLUGINS, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "Sources").mkdir(parents=True)
    text = SOURCE.read_text().replace('"pass_through"', '"pass_loaded"').replace("passThrough", "passLoaded")
    (folder / "Sources" / "PassLoaded.swift").write_text(text.replace("static let", "public static let"))
    (folder / "plugin.yaml").write_text(
        "name: pass_loaded\nkind: processor\nhome: loaded\ndoc: Passes trades on.\ntakes: [trade]\nemits: trade\n")
    run([WILD, "plugin", "build", folder], cores="all")
    run([WILD, "plugin", "install", "--to", PLUGINS, folder], cores="all")


def measure(name, processor, events, prepare=None):
    def once():
        if prepare:
            prepare()
        done = run([WILD, "run", config(name, processor, events)], cores="all")
        ledger = done.errors + done.output
        if "balanced: every event is accounted for" not in ledger or not re.search(rf"end: events {events:,}\b", ledger):
            raise Failed(f"the ledger is wrong: {ledger[-400:]}")
        return Sample(events / done.wall / 1e6, done.others, {"cpu": done.cpu, "peak_mib": done.peak_kib / 1024})

    return once


def works(quick):
    # So many that the start of a process does not count.
    scale = 1 if quick else 3
    many, some, few = 300_000_000 * scale, 4_000_000 * scale, 200_000 * scale
    return [
        Work(
            "homes", "A pass-through in each home: generator → plugin → null sink", "million events/s",
            [
                Contestant(US, measure("built-in", "plugin: pass_through", many)),
                Contestant(LOADED, measure("loaded", "plugin: pass_loaded", many, loaded)),
                Contestant(FRAMES, measure("frames", "plugin: pass_through, isolation: process", some * 5)),
                Contestant(MESSAGES, measure("messages", f'plugin: program_processor, run: ["{BIN / "pass"}"]', some)),
                Contestant(CAT, measure("cat", "plugin: program_processor, protocol: lines, run: [cat]", some)),
                Contestant(
                    PYTHON,
                    measure("python", f'plugin: program_processor, run: ["{sys.executable}", "{PEERS / "python" / "passing.py"}"]', few)),
            ],
            higher_is_better=True,
            goals=[
                Goal("loaded at least 0.95 × built in", lambda work: work.ratio(US, LOADED), 0.95), figure("at least 3 million events a second by frames", 3, at_least=True, of=FRAMES),
                figure("at least 0.5 million by messages as JSON lines", 0.5, at_least=True, of=MESSAGES),
            ])
    ]
