"""What is measured: works, who does them, what is to be reached, and what came out."""
import statistics
from dataclasses import dataclass, field
from typing import Callable

from .machine import Failed

US = "stockbus"
# A sample counts as disturbed where others had more than so much of the machine.
DISTURBED = 0.10


@dataclass
class Sample:
    value: float
    others: float = 0.0
    extra: dict = field(default_factory=dict)


@dataclass
class Contestant:
    name: str
    measure: Callable[[], Sample]
    peer: str = ""  # What has to be set up for it; nothing for our own.


class Once:
    """One run's figures, or its failure, for several tables: it is run again when a table asks for the second time."""

    def __init__(self, measure):
        self.measure, self.outcome, self.asked = measure, None, set()

    def __call__(self, who):
        if self.outcome is None or who in self.asked:
            self.asked = set()
            try:
                self.outcome = self.measure()
            except Failed as failure:
                self.outcome = failure
        self.asked.add(who)
        if isinstance(self.outcome, Failed):
            raise self.outcome
        return self.outcome


@dataclass
class Goal:
    """What the issue asks for: a ratio to a contestant, or a figure of our own."""

    text: str
    reached: Callable[["Work"], float | None]  # The figure or ratio; None where a contestant is missing.
    wanted: float
    at_least: bool = True

    def judge(self, work):
        got = self.reached(work)
        if got is None:
            return None, "not measured"
        if (got >= self.wanted) if self.at_least else (got <= self.wanted):
            return got, "met"
        near = got >= self.wanted * 0.8 if self.at_least else got <= self.wanted * 1.25
        return got, "near" if near else "missed"


@dataclass
class Work:
    id: str
    title: str
    unit: str
    contestants: list[Contestant]
    higher_is_better: bool = False
    goals: list[Goal] = field(default_factory=list)
    most_rounds: int = 1000
    samples: dict[str, list[Sample]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    def kept(self, name):
        """The samples that count: the undisturbed ones, where there are enough of them."""
        samples = self.samples.get(name, [])
        quiet = [s for s in samples if s.others <= DISTURBED]
        return quiet if len(quiet) >= max(2, len(samples) / 2) else samples

    def median(self, name):
        kept = self.kept(name)
        return statistics.median(s.value for s in kept) if kept else None

    def extra(self, name, key):
        """The median of a side figure, such as peak memory."""
        found = [s.extra[key] for s in self.samples.get(name, []) if key in s.extra]
        return statistics.median(found) if found else None

    def ratio(self, to, of=US):
        """How many times better `of` is than `to`."""
        ours, theirs = self.median(of), self.median(to)
        if not ours or not theirs:
            return None
        return ours / theirs if self.higher_is_better else theirs / ours


def times(name, at_least, text=None):
    """At least so many times as good as a contestant."""
    return Goal(text or f"at least {at_least:g} × {name}", lambda work: work.ratio(name), at_least)


def figure(text, wanted, at_least=False, of=US):
    """A figure of our own."""
    return Goal(text, lambda work: work.median(of), wanted, at_least)
