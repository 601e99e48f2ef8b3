"""The tables of docs/proofs.md."""

import contextlib
import fcntl
import os
import re

from prover.engines import REPOSITORY
from prover.subject import Failure

DOCUMENT = os.path.join(REPOSITORY, "docs", "proofs.md")

SUMMARY = [
    "| block | point | properties | helpers | induction: length, s | abc: s | covers | bugs that refute | larger points | open |",
    "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |",
]
DETAIL = ["| block | property | claim | k-induction | abc | refuted by its bug in cycle |", "| --- | --- | --- | --- | --- | ---: |"]


def counts(row):
    """Numbers that the summary and the progress line show."""
    own = [item for item in row["properties"] if not item["helper"]]
    both = [item for item in own if item["induction"] == item["abc"] == "proven"]
    bugs = [item["bug"]["step"] for item in row["properties"] if "bug" in item]
    return {
        "own": len(own),
        "proven": len(both),
        "helpers": len(row["properties"]) - len(own),
        "open": [item["name"] for item in own if item not in both],
        "bugs": len(bugs),
        "refuted": sum(step is not None for step in bugs),
        "covers": len(row["covers"]),
        "reached": sum(cover["step"] is not None for cover in row["covers"]),
    }


def sentence(row):
    """One line of progress."""
    if "properties" not in row:
        return f"{row['module']}: {larger_cell(row, row['claims']) or 'no larger points'}, in {row['seconds']} s"
    n = counts(row)
    return (
        f"{row['module']}: {n['proven']} of {n['own']} properties proven, {n['refuted']} of {n['bugs']} bugs refute, "
        f"{n['reached']} of {n['covers']} covers reached, in {row['seconds']} s"
    )


def larger_cell(row, own):
    """What was checked at larger points, of so many properties."""
    cells = [f"the same at {', '.join(row['same'])}"] if row["same"] else []
    for item in row["larger"]:
        reached = sum(cover["step"] is not None for cover in item["covers"])
        idle = f"{item['idle']} idle and " if item["idle"] else ""
        along = f", {item['along']} of restricted runs" if item["along"] else ""
        cells.append(f"{item['point']}: {idle}{item['cycles']} cycles{along}, {len(item['properties'])} of {own} properties, {reached} of {len(item['covers'])} covers")
    return "; ".join(cells)


def abc_cell(result):
    """Seconds, and how many of the outputs Kissat has decided."""
    return str(result["seconds"]) + (f" ({result['kissat']} by Kissat)" if result["kissat"] else "")


def summary_line(row):
    """A row of the first table."""
    n = counts(row)
    cells = [
        f"`{row['subject']}`", row["point"], f"{n['proven']} of {n['own']}", str(n["helpers"]),
        f"{row['induction']['length']}, {row['induction']['seconds']}", abc_cell(row["abc"]),
        f"{n['reached']} of {n['covers']}", f"{n['refuted']} of {n['bugs']}", larger_cell(row, n["own"]),
        ", ".join(f"`{name}` ({row['bounded']['cycles']} cycles)" for name in n["open"]),
    ]
    return "| " + " | ".join(cells) + " |"


def detail_lines(row):
    """The properties of a block."""
    for item in row["properties"]:
        if item["helper"]:
            continue
        step = item.get("bug", {}).get("step")
        cells = [f"`{row['subject']}`", f"`{item['name']}`", item["claim"].replace("|", "\\|"), item["induction"], item["abc"], "" if step is None else str(step)]
        yield "| " + " | ".join(cells) + " |"


def lines(rows, larger):
    """Both tables, or what --larger found."""
    if larger:
        return [f"{row['subject']}: {larger_cell(row, row['claims'])}" for row in rows]
    return SUMMARY + [summary_line(row) for row in rows] + [""] + DETAIL + [line for row in rows for line in detail_lines(row)]


EQUIVALENCE = ["| block | point | bits compared | netlist | a broken netlist is noticed | s |", "| --- | --- | ---: | --- | --- | ---: |"]
EQUIVALENCE_ROW = re.compile(r"\| `(\w+)` \| ([\w-]+)(?:, without its memories)? \| [\d,]+ \| ([\w ]+) \| (\w*) \| [\d.]+ \|")


def equivalence_line(row):
    """A row of the table of scripts/equivalence."""
    point = row["point"] + (", without its memories" if row["memories_out"] else "")
    verdict = {True: "equal", False: "differs", None: "not decided in time"}[row["equal"]]
    noticed = {True: "yes", False: "no", None: ""}[row["broken_noticed"]]
    return "| " + " | ".join([f"`{row['block']}`", point, f"{row['compared']:,}", verdict, noticed, str(row["seconds"])]) + " |"


@contextlib.contextmanager
def alone():
    """Nobody else renews the document, or what is on record of it, meanwhile: runs side by side renew a row each, and none may be lost."""
    lock = os.path.join(REPOSITORY, "build", "proofs.lock")
    os.makedirs(os.path.dirname(lock), exist_ok=True)
    with open(lock, "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def between(marker):
    """The text of docs/proofs.md, and what stands between two markers there, as a match."""
    with open(DOCUMENT, encoding="utf-8") as file:
        text = file.read()
    body = re.search(rf"<!-- {marker} -->\n(.*?)<!-- /{marker} -->", text, re.DOTALL)
    if not body:
        raise Failure(f"{DOCUMENT} has no markers '{marker}'", f"restore the lines <!-- {marker} --> and <!-- /{marker} -->")
    return text, body


def present():
    """The rows of the first table."""
    return between("prove")[1][1].splitlines()[len(SUMMARY):]


def subjects():
    """The subjects that have a row."""
    return {line.split("|")[1].strip(" `") for line in present()}


def equivalences():
    """{block: (its point, whether the netlist is equal and a broken one is noticed)} of the table of scripts/equivalence."""
    found = {}
    for line in between("equivalence")[1][1].splitlines()[len(EQUIVALENCE):]:
        row = EQUIVALENCE_ROW.fullmatch(line)
        if not row:
            raise Failure(f"docs/proofs.md: '{line}' is no row of the table 'equivalence'", "scripts/equivalence BLOCK --write writes one; remove this")
        found[row[1]] = row[2], row.groups()[2:] == ("equal", "yes")
    return found


def renew(marker, header, rows):
    """Puts the lines of (block, lines) between two markers of docs/proofs.md; those of other blocks stay. For who is `alone`."""
    text, body = between(marker)
    renewed = [name for name, _ in rows]
    lines = [line for _, new in rows for line in new]
    for line in body.group(1).splitlines():
        name = re.match(r"\| `(\w+)` \|", line)
        if name and name[1] not in renewed:
            lines.append(line)
    # A stable sort: the lines of one block keep their order.
    lines.sort(key=lambda line: line.split("|")[1].strip(" `"))
    text = text[: body.start(1)] + "\n".join(header + lines) + "\n" + text[body.end(1):]
    temporary = DOCUMENT + ".part"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(temporary, DOCUMENT)


def write_larger(rows):
    """Renews the column of larger points, in rows that are there."""
    cells = {row["subject"]: larger_cell(row, row["claims"]) for row in rows}
    column = SUMMARY[0].split("|").index(" larger points ")
    renewed = []
    for line in present():
        parts = line.split("|")
        name = parts[1].strip(" `")
        if name in cells:
            parts[column] = f" {cells[name]} "
            renewed.append((name, ["|".join(parts)]))
    renew("prove", SUMMARY, renewed)


def write(rows, larger):
    """Renews both tables of scripts/prove."""
    with alone():
        if larger:
            write_larger(rows)
            return
        renew("prove", SUMMARY, [(row["subject"], [summary_line(row)]) for row in rows])
        renew("properties", DETAIL, [(row["subject"], list(detail_lines(row))) for row in rows])
