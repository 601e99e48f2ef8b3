"""Cycles of the operations of every block, on the exported Verilog under Icarus, at every point: their table, their picture, and whether both are true.

description.py says how operations.json describes an operation, icarus.py runs it.
"""

import json
import math
import os

from bencher.description import Failure, Subject, entries
from bencher.icarus import Bench
from progress import each

# Parameters by which points are ordered.
SIZES = ("warps", "ctas", "cores", "groups", "engines", "threads", "block_threads", "depth")
HEADER = ["| block | operation | promised | point: cycles an operation |", "| --- | --- | --- | --- |"]


def exports(folder):
    """The exports of a folder, as its manifest has them."""
    path = os.path.join(folder, "manifest.json")
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)["exports"]
    except (OSError, ValueError, KeyError) as error:
        raise Failure(f"{path} is no manifest of an export: {error}", "`cargo export --out DIR` writes an export of every block, with one") from None


def measure(folder, work):
    """Every operation at every point of its block, as rows, and the failures of points that do not do what they should. A block without an operation is
    as wrong as an operation without a block."""
    there, described = exports(folder), list(entries())
    for block in sorted({export["block"] for export in there} ^ {block for block, _ in described}):
        hint = "`cargo export --out DIR` writes every block, and each has an operation"
        raise Failure(f"the block {block} is not in both {folder} and scripts/bencher/operations.json", hint)
    found, broken = [], []

    def size(export):
        return [export["parameters"].get(name, 0) for name in SIZES]

    chosen = [(entry, export) for block, entry in described for export in sorted((one for one in there if one["block"] == block), key=size)]
    for entry, export in each("bench", chosen):
        subject, of = Subject(entry, export), {"block": export["block"], "point": export["point"], "parameters": export["parameters"]}
        try:
            cycles = Bench(subject).measure(folder, os.path.join(work, export["module"]))
        except Failure as failure:
            if failure.code == 2:
                raise
            broken.append(failure)
            continue
        measured = zip(subject.names, subject.promises, subject.bounds, cycles)
        found += [{**of, **dict(zip(("operation", "promise", "bound", "cycles"), one))} for one in measured]
    return found, broken


def exceeded(found):
    """Complaints about operations that take longer than is promised."""
    for row in found:
        if row["cycles"] > row["bound"]:
            cycles, bound = number(row["cycles"]), number(row["bound"])
            yield f"{row['block']} at {row['point']}, '{row['operation']}': {cycles} cycles an operation, promised are at most {bound}"


def number(fraction):
    """A fraction, with three digits at most."""
    return f"{float(fraction):.3f}".rstrip("0").rstrip(".")


def by_operation(found):
    """{(block, operation): its rows}, in order."""
    together = {}
    for row in found:
        together.setdefault((row["block"], row["operation"]), []).append(row)
    return together


def table(found):
    """Cycles an operation, and in brackets what is promised where that is more; a row an operation."""
    lines = list(HEADER)
    for (block, operation), mine in by_operation(found).items():
        cells = [f"{row['point']}: {number(row['cycles'])}" + (f" ({number(row['bound'])})" if row["cycles"] != row["bound"] else "") for row in mine]
        lines.append(f"| `{block}` | {operation} | `{mine[0]['promise']}` | {', '.join(cells)} |")
    return lines


def stale(written, fresh):
    """Complaints about the table of docs/speed.md, line by line, against one of what was measured now."""
    said, true = ({tuple(line.strip("| ").split(" | ")[:2]): line.strip("| ").split(" | ")[2:] for line in lines} for lines in (written, fresh))
    for key in {**said, **true}:
        place = f"docs/speed.md, {', '.join(key)}"
        if key not in true:
            yield f"{place}: operations.json has no such operation"
        elif key not in said:
            yield f"{place}: the row is missing"
        elif said[key] != true[key]:
            old, new = (", ".join(cells).split(", ") for cells in (said[key], true[key]))
            yield f"{place}: it says '{', '.join(one for one in old if one not in new)}', and now it is '{', '.join(one for one in new if one not in old)}'"
    if said == true and written != fresh:
        yield "docs/speed.md: its rows are not in the order of operations.json, or not as `scripts/bench --operations` writes them"


def plot(found):
    """Cycles an operation, as SVG, on a logarithmic axis that begins at the limit of one a cycle: a dot a point, the darker the later it stands in the
    table, and an orange mark for what is promised."""
    together = by_operation(found)
    line, left, unit, top = 22, 550, 38, 34
    last = math.ceil(math.log2(max(max(row["cycles"], row["bound"]) for row in found)))
    end, bottom = left + unit * last, top + line * len(together)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {end + 250} {bottom + 14}" font-family="sans-serif" font-size="11">']
    parts.append('<title>Cycles of operations at every point, and what is promised</title><rect width="100%" height="100%" fill="white"/>')
    for power in range(last + 1):
        x = left + unit * power
        parts.append(f'<text x="{x}" y="{top - 14}" text-anchor="middle">{1 << power}</text>')
        stroke = 'stroke="#ddd"' if power else 'stroke="#333" stroke-dasharray="3 3"'
        parts.append(f'<line x1="{x}" y1="{top - 8}" x2="{x}" y2="{bottom}" {stroke}/>')
    for place, ((block, operation), mine) in enumerate(together.items()):
        y, numbers = top + line * place + line // 2, [row["cycles"] for row in mine]
        parts.append(f'<text x="8" y="{y + 4}" font-weight="bold">{block}</text><text x="182" y="{y + 4}">{operation}</text>')
        for at, row in enumerate(mine):
            x, bound = (left + unit * math.log2(row[which]) for which in ("cycles", "bound"))
            shade = 190 - 150 * (at + 1) // len(mine)
            parts.append(f'<line x1="{bound:.1f}" y1="{y - 8}" x2="{bound:.1f}" y2="{y + 8}" stroke="#d95f02" stroke-width="2"/>')
            parts.append(f'<circle cx="{x:.1f}" cy="{y}" r="4.5" fill="rgb({shade},{shade + 20},{shade + 55})"/>')
        few, most = (mine[numbers.index(extreme(numbers))] for extreme in (min, max))
        ends = [f"{number(row['cycles'])} at {row['point']}" for row in (few, most)]
        parts.append(f'<text x="{end + 14}" y="{y + 4}">{", ".join(ends) if few is not most else number(numbers[0])}</text>')
    return "\n".join(parts + ["</svg>", ""])
