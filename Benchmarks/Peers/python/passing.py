"""A pass-through by the helper for Python."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "Examples" / "plugins" / "python"))
from stockbus_plugin import Processor, run  # noqa: E402


class Pass(Processor):
    takes = ["trade"]
    emits = "trade"

    def process(self, event):
        return [event]


run(Pass)
