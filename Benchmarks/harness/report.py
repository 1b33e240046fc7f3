"""Tables for people (Markdown) and for programs (JSON)."""
import json

from .work import DISTURBED, US


def number(value):
    if value is None:
        return "–"
    if value == 0:
        return "0"
    magnitude = abs(value)
    if magnitude >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if magnitude < 100 else f"{value:.0f}"


def table(head, rows):
    widths = [max(len(str(row[i])) for row in [head, *rows]) for i in range(len(head))]

    def line(cells):
        padded = [str(c).ljust(w) if i == 0 else str(c).rjust(w) for i, (c, w) in enumerate(zip(cells, widths))]
        return "| " + " | ".join(padded) + " |"

    rule = "|" + "|".join("-" * (w + 2) if i == 0 else "-" * (w + 1) + ":" for i, w in enumerate(widths)) + "|"
    return "\n".join([line(head), rule, *map(line, rows)])


def work_table(work):
    rows = []
    has_peak = any("peak_mib" in s.extra for samples in work.samples.values() for s in samples)
    has_cpu = any("cpu" in s.extra for samples in work.samples.values() for s in samples)
    names = [c.name for c in work.contestants if c.name in work.samples]
    names.sort(key=lambda n: work.median(n), reverse=work.higher_is_better)
    for name in names:
        values = [s.value for s in work.kept(name)]
        ratio = work.ratio(name)
        disturbed = sum(s.others > DISTURBED for s in work.samples[name])
        row = [name, number(work.median(name)), f"{number(min(values))}–{number(max(values))}"]
        row.append("1" if name == US else "–" if ratio is None else f"{number(ratio)} ×")
        if has_cpu:
            row.append(number(work.extra(name, "cpu")))
        if has_peak:
            row.append(number(work.extra(name, "peak_mib")))
        row.append(f"{len(work.samples[name])}" + (f", {disturbed} disturbed" if disturbed else ""))
        rows.append(row)
    head = [work.unit, "median", "min–max", "stockbus is"]
    head += (["CPU s"] if has_cpu else []) + (["peak MiB"] if has_peak else []) + ["samples"]
    text = f"### {work.title}\n\n" + (table(head, rows) if rows else "Nothing was measured.")
    missing = [f"{name}: {reason}" for name, reason in work.failures.items()]
    if missing:
        text += "\n\nNot counted: " + "; ".join(missing) + "."
    return text


def goals(works):
    rows = []
    for work in works:
        for goal in work.goals:
            got, verdict = goal.judge(work)
            rows.append([work.title, goal.text, number(got), verdict])
    return rows


def markdown(title, machine, groups, notes):
    parts = [f"# {title}", ", ".join(f"{k.replace('_', ' ')}: {v}" for k, v in machine.items())]
    rows = [row for works in groups.values() for row in goals(works)]
    if rows:
        parts += ["## Goals", table(["work", "goal", "reached", ""], rows)]
    for group, works in groups.items():
        parts.append(f"## {group}")
        parts += [work_table(work) for work in works]
    if notes:
        parts += ["## Notes", "\n".join(f"- {note}" for note in notes)]
    return "\n\n".join(parts) + "\n"


def as_json(title, machine, groups, notes):
    def of(work):
        contestants = {
            name: {
                "median": work.median(name), "ratio": work.ratio(name),
                "samples": [{"value": s.value, "others": round(s.others, 4), **s.extra} for s in samples],
            }
            for name, samples in work.samples.items()
        }
        judged = [(goal, *goal.judge(work)) for goal in work.goals]
        return {
            "id": work.id, "title": work.title, "unit": work.unit, "higher_is_better": work.higher_is_better,
            "contestants": contestants, "not_counted": work.failures,
            "goals": [{"goal": g.text, "wanted": g.wanted, "reached": got, "verdict": verdict} for g, got, verdict in judged],
        }

    document = {"title": title, "machine": machine, "groups": {g: [of(w) for w in ws] for g, ws in groups.items()}, "notes": notes}
    return json.dumps(document, indent=1)
