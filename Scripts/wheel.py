#!/usr/bin/env python3
"""Packs Sources/Python/stockbus.py as a wheel that pip installs: wheel.py FOLDER. Needs nothing but Python, and gives the same bytes each time.

In the wheel the module is a package, since only a package can say that it has types (PEP 561).
"""
import base64
import hashlib
import pathlib
import re
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    folder = pathlib.Path(sys.argv[1])
    version = re.search(r'static let number = "([^"]+)"', (ROOT / "Sources/Program/StockbusProgram/Program.swift").read_text())[1]
    info = f"stockbus-{version}.dist-info"
    files = {
        "stockbus/__init__.py": (ROOT / "Sources/Python/stockbus.py").read_bytes(),
        "stockbus/py.typed": b"",
        f"{info}/licenses/LICENSE": (ROOT / "LICENSE").read_bytes(),
        f"{info}/METADATA": (
            f"Metadata-Version: 2.4\nName: stockbus\nVersion: {version}\nSummary: Runs of stockbus as data frames with exact numbers\n"
            "License-Expression: Apache-2.0\nLicense-File: LICENSE\nRequires-Python: >=3.9\n"
            "Provides-Extra: polars\nRequires-Dist: polars; extra == 'polars'\nProvides-Extra: pyarrow\nRequires-Dist: pyarrow; extra == 'pyarrow'\n"
        ).encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: stockbus\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    digest = lambda data: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
    record = "".join(f"{name},sha256={digest(data)},{len(data)}\n" for name, data in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("stockbus-*.whl"):
        old.unlink()
    wheel = folder / f"stockbus-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    print(wheel)


main()
