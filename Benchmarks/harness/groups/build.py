"""Building: a part of its own, because it takes longer than all that others may take."""
import subprocess
import tempfile
import time

from ..machine import Failed
from ..setup import PROJECT
from ..work import Sample
from .startup import own


class Build:
    """A cold build of what is committed, in a folder of its own, and another one after a plugin has changed."""

    def __init__(self):
        self.folder = None

    def cold(self):
        self.folder = tempfile.TemporaryDirectory(prefix="stockbus-build-")
        archive = subprocess.run(["git", "archive", "HEAD"], cwd=PROJECT, capture_output=True, check=True).stdout
        subprocess.run(["tar", "x", "-C", self.folder.name], input=archive, check=True)
        return Sample(self._build())

    def incremental(self):
        if self.folder is None:
            raise Failed("there was no cold build")
        with open(f"{self.folder.name}/Plugins/NullSink/NullSink.swift", "a") as file:
            file.write("\nfunc added(_ n: Int) -> Int { n + 1 }\n")
        seconds = self._build()
        self.folder.cleanup()
        return Sample(seconds)

    def _build(self):
        began = time.monotonic()
        done = subprocess.run(
            ["swift", "build", "-c", "release", "--product", "stockbus"], cwd=self.folder.name, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(done.stdout[-300:])
        return time.monotonic() - began


def works(quick):
    if quick:
        return []
    build = Build()
    return [
        own("build-cold", "Build, cold", "s", build.cold, most_rounds=1),
        own("build-incremental", "Build after a change in a plugin", "s", build.incremental, most_rounds=1),
    ]
