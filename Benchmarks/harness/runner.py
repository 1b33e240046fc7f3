"""Runs the works: every contestant once a round, so that what disturbs the machine disturbs all."""
import sys
import time

from .machine import Failed, wait_until_quiet


def say(text):
    print(text, file=sys.stderr, flush=True)


def measure(works, rounds, available, patience=0.0, budget=None):
    """Fills the works' samples. A contestant that fails once is not asked again: a wrong answer has no speed."""
    began = time.monotonic()
    for work in works:
        for contestant in list(work.contestants):
            reason = available(contestant.peer)
            if reason:
                work.failures[contestant.name] = reason
    done = 0
    for number in range(rounds):
        started = time.monotonic()
        for work in works:
            if number >= work.most_rounds:
                continue
            # Another one begins each round.
            turn = number % len(work.contestants)
            for contestant in work.contestants[turn:] + work.contestants[:turn]:
                if contestant.name in work.failures:
                    continue
                wait_until_quiet(patience)
                try:
                    sample = contestant.measure()
                except Failed as failure:
                    work.failures[contestant.name] = str(failure)
                    say(f"    {work.id}: {contestant.name}: {failure}")
                    continue
                work.samples.setdefault(contestant.name, []).append(sample)
        done += 1
        took = time.monotonic() - started
        say(f"  round {number + 1} of {rounds}: {took:.0f} s")
        if budget is not None and time.monotonic() - began + took > budget and number + 1 < rounds:
            say(f"  no further round: the time for this part is up ({budget:.0f} s)")
            break
    return done
