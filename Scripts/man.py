#!/usr/bin/env python3
"""Writes the manual pages of a built program, from what it says of its commands: man.py PROGRAM FOLDER.

stockbus.1 has the whole, and each command has a page of its own, as git's have. What commands and options there are, what they do and what
the exit statuses mean comes from the program. Only what its help does not have is here: files and variables.
"""
import datetime
import json
import os
import re
import subprocess
import sys
import textwrap

FILES = [
    ("plugins.yaml", "The configuration of commands that are told none."),
    ("$XDG_RUNTIME_DIR/stockbus/PROCESS.sock", "Where a run answers other commands; only its user may use it. It is in /tmp/stockbus-UID "
     "where there is no runtime folder, or where other users may enter it."),
    ("$XDG_STATE_HOME/stockbus/console_viewer", "The watchlist and the alerts of the screen."),
    ("$XDG_STATE_HOME/stockbus/dashboard.db", "The watchlists and settings of the dashboard's page. The configuration can name other files "
     "for both."),
    ("history.db, paper.db", "What the commands history, account and paper read by default."),
]
VARIABLES = [
    ("NAME", "A configuration can have ${NAME}, ${NAME:-default} and ${NAME:?message} in its values."),
    ("NO_COLOR, CLICOLOR, CLICOLOR_FORCE", "Whether there are colours, unless --color says so."),
    ("STOCKBUS_TOKEN", "The token of at least 16 characters that --control asks for."),
    ("XDG_RUNTIME_DIR", "The folder in which the runs have their sockets."),
    ("XDG_STATE_HOME", "The folder of what the screen and the page keep; without it ~/.local/state."),
    ("NOTIFY_SOCKET", "The socket of a service manager, which is told of the start, of changes and of the stop, as sd_notify(3) describes."),
    ("http_proxy, https_proxy, all_proxy, no_proxy", "The proxy for servers that are polled or get alerts, also in capitals, except for "
     "HTTP_PROXY."),
    ("COLUMNS, LINES, TERM, COLORTERM, LC_ALL, LC_CTYPE, LANG", "What the terminal can show."),
]
# Characters that mean something else to roff.
SPECIAL = {"\\": "\\e", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti", '"': "\\(dq", "-": "\\-"}


def escape(text):
    """Text as it is, for roff."""
    out = "".join(SPECIAL.get(c) or (c if ord(c) < 128 else f"\\[u{ord(c):04X}]") for c in text)
    return "\\&" + out if out.startswith(".") else out


def flow(text):
    """Text that is filled, in short lines as style wants them; where a line ends has no meaning."""
    return [escape(line) for line in textwrap.wrap(text, 66, break_long_words=False, break_on_hyphens=False)]


def paragraphs(text):
    """Lines of roff for a text of ArgumentParser's: indented lines are examples, and stay as they are."""
    lines = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        is_example = False
        lines.append(".PP")
        for line in block.split("\n"):
            if line.startswith("  ") != is_example:
                is_example = not is_example
                lines += [".sp", ".RS 4", ".nf"] if is_example else [".fi", ".RE"]
            lines += [escape(line[2:])] if is_example else flow(line)
        if is_example:
            lines += [".fi", ".RE"]
    # An example needs no paragraph of its own before it.
    return [line for line, after in zip(lines, lines[1:] + [""]) if not (line == ".PP" and after == ".sp")]


def definitions(pairs):
    return [line for term, text in pairs for line in [".TP", f".B {escape(term)}", *flow(text)]]


def shown(arguments):
    """The arguments of a page; each command has --help, and --version is the whole program's."""
    names = [{name["name"] for name in a.get("names", [])} for a in arguments]
    return [a for a, own in zip(arguments, names) if a["shouldDisplay"] and not own & {"help", "version"}]


def dashed(name):
    return ("--" if name["kind"] == "long" else "-") + name["name"]


def synopsis(words, command, has_subcommands=False):
    lines = [f".SY {chr(34)}{escape(words)}{chr(34)}"]
    for argument in shown(command.get("arguments", [])):
        value = escape(argument["valueName"])
        if argument["kind"] == "positional":
            dots = "\\ .\\|.\\|." if argument["isRepeating"] else ""
            lines.append(f".RI [ {value}{dots} ]" if argument["isOptional"] else f".I {value}{dots}")
            continue
        option = escape(dashed(argument["preferredName"]))
        if argument["kind"] == "flag":
            lines.append(f".OP {option}")
        elif argument["isOptional"]:
            lines.append(f".OP {option} {value}")
        else:
            lines += [f".B {option}", f".I {value}"]
    if has_subcommands:
        lines += [".I command", ".RI [ argument\\ .\\|.\\|. ]"]
    return lines + [".YS"]


def options(command):
    lines = []
    for argument in shown(command.get("arguments", [])):
        value = "\\fI" + escape(argument["valueName"]) + "\\fR"
        if argument["kind"] == "positional":
            term = value
        else:
            names = ", ".join("\\fB" + escape(dashed(name)) + "\\fR" for name in argument["names"])
            term = names if argument["kind"] == "flag" else f"{names} {value}"
        text = argument.get("abstract", "")
        if argument.get("allValues"):
            text += " One of " + ", ".join(argument["allValues"]) + "."
        if argument.get("defaultValue"):
            text += f" Unless told: {argument['defaultValue']}."
        lines += [".TP", term, *flow(text)]
    return lines


class Manual:
    def __init__(self, program):
        def says(*words):
            return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout

        self.root = json.loads(says("--experimental-dump-help"))["command"]
        self.version = says("--version").strip()
        # The same program gives the same pages.
        epoch = os.environ.get("SOURCE_DATE_EPOCH", os.stat(program).st_mtime)
        self.date = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc).strftime("%Y-%m-%d")
        self.commands = [c for c in self.root["subcommands"] if c["shouldDisplay"] and c["commandName"] != "help"]
        about, _, statuses = self.root["discussion"].partition("\n\nExit status:\n")
        self.about = about
        self.statuses = [(number, " ".join(text.split())) for number, text in re.findall(r"^ *(\d+)  ((?:.|\n(?! *\d+  ))*)", statuses, re.M)]
        if not self.statuses:
            sys.exit("the program's help has no exit statuses")

    def head(self, name, abstract):
        text = abstract[:1].lower() + abstract[1:].rstrip(".")
        return [f".TH {escape(name.upper())} 1 {self.date} {chr(34)}{escape(self.version)}{chr(34)} {chr(34)}User Commands{chr(34)}",
                ".SH NAME", f"{escape(name)} \\- {escape(text)}"]

    def exit_status(self):
        return [".SH EXIT STATUS"] + definitions(self.statuses)

    def see_also(self, names):
        pages = [f".BR {escape(name)} ({section})" for name, section in names]
        # A name is not to be hyphenated.
        return [".SH SEE ALSO", ".nh"] + [page + " ," for page in pages[:-1]] + pages[-1:]

    def whole(self):
        lines = self.head("stockbus", self.root["abstract"])
        lines += [".SH SYNOPSIS", '.SY stockbus', ".I command", ".RI [ argument\\ .\\|.\\|. ]", ".YS", ".SY stockbus", ".B \\-\\-version", ".YS"]
        lines += [".SH DESCRIPTION"] + paragraphs(self.about)[1:]
        lines += [".SH COMMANDS"]
        for command in self.commands:
            lines += [".TP", f".BR stockbus\\-{escape(command['commandName'])} (1)", *flow(command["abstract"])]
        lines += self.exit_status()
        lines += [".SH FILES"] + definitions(FILES)
        lines += [".SH ENVIRONMENT"] + definitions(VARIABLES)
        return lines + self.see_also([(f"stockbus-{c['commandName']}", 1) for c in self.commands] + [("systemd.service", 5)])

    def page(self, command):
        name = command["commandName"]
        subcommands = [c for c in command.get("subcommands", []) if c["shouldDisplay"] and c["commandName"] != "help"]
        lines = self.head(f"stockbus-{name}", command["abstract"]) + [".SH SYNOPSIS"]
        if subcommands:
            for sub in subcommands:
                is_default = sub["commandName"] == command.get("defaultSubcommand")
                lines += synopsis(f"stockbus {name}" + ("" if is_default else f" {sub['commandName']}"), sub)
        else:
            for word in [name, *command.get("aliases", [])]:
                lines += synopsis(f"stockbus {word}", command)
        lines += [".SH DESCRIPTION"] + (paragraphs(command["discussion"]) if command.get("discussion") else flow(command["abstract"]))
        if options(command):
            lines += [".SH OPTIONS"] + options(command)
        if subcommands:
            lines += [".SH COMMANDS"]
            for sub in subcommands:
                lines += [f".SS stockbus {escape(name)} {escape(sub['commandName'])}", *flow(sub["abstract"])]
                lines += paragraphs(sub.get("discussion") or "") if sub.get("discussion") else []
                lines += options(sub)
        lines += self.exit_status()
        return lines + self.see_also([("stockbus", 1)])

    def write(self, folder):
        os.makedirs(folder, exist_ok=True)
        for old in os.listdir(folder):
            if re.fullmatch(r"stockbus.*\.1", old):
                os.remove(os.path.join(folder, old))
        pages = {"stockbus": self.whole(), **{f"stockbus-{c['commandName']}": self.page(c) for c in self.commands}}
        # A further name of a command is a page that leads to it.
        for command in self.commands:
            for alias in command.get("aliases", []):
                pages[f"stockbus-{alias}"] = [f".so man1/stockbus-{command['commandName']}.1"]
        for name, lines in pages.items():
            # A macro after .SH or .SS that begins a paragraph would be a second one.
            kept = [line for line, before in zip(lines, [""] + lines) if not (line == ".PP" and before.startswith((".SH", ".SS")))]
            with open(os.path.join(folder, f"{name}.1"), "w") as out:
                out.write("\n".join(kept) + "\n")
        print(f"{len(pages)} pages in {folder}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    Manual(sys.argv[1]).write(sys.argv[2])
