#!/usr/bin/env python3
"""Runs stockbus beside its peers and writes tables: bench.py [--quick] [--only bus,replay] [--rounds N]. See README.md."""
import argparse
import signal
import sys
import time

from harness import report, rows, runner
from harness.groups import bars, broker, build, bus, columns, conditions, feed, history, homes, movers, nats, replay, rules, runtime, startup, web
from harness.machine import ROOT, Failed, description
from harness.setup import Setup

GROUPS = {
    "bus": bus, "runtime": runtime, "replay": replay, "feed": feed, "bars": bars, "conditions": conditions, "columns": columns, "rules": rules, "movers": movers, "broker": broker, "history": history,
    "homes": homes, "web": web, "nats": nats, "startup": startup, "build": build,
}
TITLES = {
    "bus": "The bus", "runtime": "The whole runtime", "replay": "Replay", "feed": "The feed", "bars": "Bars", "conditions": "Conditions that remember", "columns": "Columns beside events", "rules": "Rules over the past", "movers": "Movers",
    "broker": "The paper broker", "history": "History", "homes": "Homes of a plugin",
    "web": "Prices to many browsers", "nats": "NATS", "startup": "Start-up and size", "build": "Building",
}
# Seconds after which a part begins no further round: the quick form takes under five minutes, the full one about 30 minutes, of
# which the cold build at its end is the least predictable.
QUICK_BUDGET = {"bus": 90, "runtime": 30, "replay": 80, "feed": 40, "bars": 30, "conditions": 60, "columns": 60, "rules": 60, "movers": 30, "broker": 20, "history": 60, "homes": 60, "web": 90, "nats": 60, "startup": 20, "build": 0}
BUDGET = {"bus": 300, "runtime": 90, "replay": 240, "feed": 160, "bars": 120, "conditions": 240, "columns": 240, "rules": 180, "movers": 120, "broker": 60, "history": 200, "homes": 200, "web": 400, "nats": 200, "startup": 60, "build": 0}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds: under five minutes once everything is built")
    parser.add_argument("--only", default="", help=f"parts or works by name, separated by commas; parts are {', '.join(GROUPS)}")
    parser.add_argument("--rounds", type=int, help="how many rounds (quick: 2, otherwise 7)")
    parser.add_argument("--patience", type=float, help="seconds to wait before each run for a machine that nobody else uses (quick: 0, otherwise 3)")
    parser.add_argument("--no-build", action="store_true", help="measure the programs of our own that are there already")
    parser.add_argument("--no-install", action="store_true", help="install nothing; peers that are missing are left out")
    parser.add_argument("--list", action="store_true", help="list the works and stop")
    options = parser.parse_args()
    wanted = [name for name in options.only.split(",") if name]

    chosen = {}
    for name, module in GROUPS.items():
        (ROOT / ".cache" / "out").mkdir(parents=True, exist_ok=True)
        works = module.works(options.quick)
        if wanted and name not in wanted:
            works = [work for work in works if any(work.id.startswith(w) for w in wanted)]
        if works:
            chosen[name] = works
    if not chosen:
        sys.exit(f"nothing is called {options.only}; there are {', '.join(GROUPS)}, and works as --list shows them")
    if options.list:
        for works in chosen.values():
            print("\n".join(f"{work.id:24}{work.title}" for work in works))
        return

    setup = Setup(install=not options.no_install, build=not options.no_build)
    setup.prepare(chosen)
    if {"replay", "runtime"} & set(chosen):
        try:
            rows.make(runner.say)
        except Failed as failure:
            runner.say(str(failure))
            for name in ("replay", "runtime"):
                chosen.pop(name, None)
    rounds = options.rounds or (2 if options.quick else 7)
    patience = options.patience if options.patience is not None else (0 if options.quick else 3)
    began = time.monotonic()
    interrupted = ""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    for name, works in chosen.items():
        runner.say(TITLES[name])
        try:
            runner.measure(works, rounds, setup.available, patience, (QUICK_BUDGET if options.quick else BUDGET)[name])
        except KeyboardInterrupt:
            # What was measured until then is not thrown away.
            interrupted = f"interrupted in the part '{TITLES[name]}': it and what follows is incomplete"
            runner.say(interrupted)
            break
    took = time.monotonic() - began

    machine = description()
    notes = [f"measured with {text}" for text in setup.versions()]
    notes += [f"left out: {peer} ({reason})" for peer, reason in setup.missing.items()]
    notes += [interrupted] if interrupted else []
    notes.append(f"{rounds} rounds at most, {took:.0f} s; a sample is disturbed where others used more than 10 % of the machine; "
                 "disturbed samples count only where there are not enough others")
    title = "stockbus beside its peers" + (" (quick)" if options.quick else "")
    groups = {TITLES[name]: works for name, works in chosen.items()}
    text = report.markdown(title, machine, groups, notes)
    folder = ROOT / "results"
    folder.mkdir(exist_ok=True)
    stem = time.strftime("%Y%m%d-%H%M%S") + ("-quick" if options.quick else "")
    (folder / f"{stem}.md").write_text(text)
    (folder / f"{stem}.json").write_text(report.as_json(title, machine, groups, notes))
    print(text)
    runner.say(f"written to {(folder / stem).relative_to(ROOT.parent)}.md and .json")


if __name__ == "__main__":
    main()
