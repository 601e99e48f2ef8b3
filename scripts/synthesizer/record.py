"""Of which Verilog the rows of docs/synthesis.md were measured: docs/synthesis.txt, a line `HASH BLOCK POINT PART` for each part of a row that is known."""

import hashlib
import os
import re

from synthesizer.tools import REPOSITORY, Failure

RECORD = os.path.join(REPOSITORY, "docs", "synthesis.txt")
LINE = re.compile(r"([0-9a-f]{16}) (\w+) ([\w-]+) (tables|ecp5|fmax|asic)")
# What is measured of a row, and the results that it consists of.
PARTS = {"tables": "control", "ecp5": "ecp5", "fmax": "fmax", "asic": "asic"}
COMMENT = re.compile(r"\s*//.*|\s+(?=\n)")


def code(folder, name):
    """A hash of the Verilog of an export, whatever its comments say."""
    total = hashlib.sha256()
    for file in sorted(os.listdir(os.path.join(folder, name))):
        if file.endswith(".v"):
            with open(os.path.join(folder, name, file), encoding="utf-8") as opened:
                total.update(f"{file}\0{COMMENT.sub('', opened.read())}\0".encode())
    return total.hexdigest()[:16]


def known():
    """{(block, point, part): hash}."""
    if not os.path.isfile(RECORD):
        return {}
    with open(RECORD, encoding="utf-8") as file:
        lines = file.read().splitlines()
    found = [LINE.fullmatch(line) for line in lines]
    if None in found:
        raise Failure(f"docs/synthesis.txt, line {found.index(None) + 1}: '{lines[found.index(None)]}' is no record", "a line is HASH BLOCK POINT PART; scripts/synth writes it")
    return {(line[2], line[3], line[4]): line[1] for line in found}


def write(rows, parts, exports, complete):
    """Puts down of which Verilog these rows are, as far as `parts` were measured; others stay, unless the run was of everything."""
    lines = known()
    if complete:
        measured = {(row["block"], row["point"]) for row in rows}
        lines = {key: text for key, text in lines.items() if key[:2] in measured}
    for row in rows:
        name = f"{row['block']}_{row['point']}"
        lines |= {(row["block"], row["point"], part): code(exports, name) for part, result in PARTS.items() if part in parts and row[result] is not None}
    with open(RECORD + ".part", "w", encoding="utf-8") as file:
        file.writelines(f"{text} {' '.join(key)}\n" for key, text in sorted(lines.items()))
    os.replace(RECORD + ".part", RECORD)


def disagreements(exports, there):
    """What was measured of other Verilog than the export's, a sentence each."""
    for (block, point, part), text in sorted(known().items()):
        if (block, point) not in there:
            yield f"docs/synthesis.txt: {block} at {point} is not exported"
        elif text != code(exports, f"{block}_{point}"):
            option = "--fmax --only fmax" if part == "fmax" else f"--only {part}"
            yield f"docs/synthesis.md: '{part}' of {block} at {point} was measured of other Verilog: scripts/synth {block} --point {point} {option}"


def unknown(cells):
    """The parts of rows of which nobody knows what Verilog they were measured of; `cells` are those of the tables, {part: {(block, point), ...}}."""
    lines = known()
    return sorted((*key, part) for part, keys in cells.items() for key in keys if (*key, part) not in lines)
