"""Of which Verilog the rows of docs/synthesis.md were measured: docs/synthesis.txt, a line `HASH BLOCK POINT PART` for each part of a row that is known."""

import hashlib
import os

from records import Record, bare
from synthesizer.tools import Failure

RECORD = Record("synthesis.txt", {"BLOCK": r"\w+", "POINT": r"[\w-]+", "PART": "tables|ecp5|fmax|asic"}, "scripts/synth writes it", Failure)
# What is measured of a row, and the results that it consists of.
PARTS = {"tables": "control", "ecp5": "ecp5", "fmax": "fmax", "asic": "asic"}


def code(folder, name):
    """A hash of the Verilog of an export, whatever its comments say."""
    total = hashlib.sha256()
    for file in sorted(os.listdir(os.path.join(folder, name))):
        if file.endswith(".v"):
            with open(os.path.join(folder, name, file), encoding="utf-8") as opened:
                total.update(f"{file}\0{bare(opened.read())}\0".encode())
    return total.hexdigest()[:16]


def write(rows, parts, exports, complete):
    """Puts down of which Verilog these rows are, as far as `parts` were measured; others stay, unless the run was of everything."""
    lines = RECORD.known()
    if complete:
        measured = {(row["block"], row["point"]) for row in rows}
        lines = {key: text for key, text in lines.items() if key[:2] in measured}
    for row in rows:
        name = f"{row['block']}_{row['point']}"
        lines |= {(row["block"], row["point"], part): code(exports, name) for part, result in PARTS.items() if part in parts and row[result] is not None}
    RECORD.write(lines)


def disagreements(exports, there):
    """What was measured of other Verilog than the export's, a sentence each."""
    for (block, point, part), text in sorted(RECORD.known().items()):
        if (block, point) not in there:
            yield f"docs/synthesis.txt: {block} at {point} is not exported"
        elif text != code(exports, f"{block}_{point}"):
            option = "--fmax --only fmax" if part == "fmax" else f"--only {part}"
            yield f"docs/synthesis.md: '{part}' of {block} at {point} was measured of other Verilog: scripts/synth {block} --point {point} {option}"


def unknown(cells):
    """The parts of rows of which nobody knows what Verilog they were measured of; `cells` are those of the tables, {part: {(block, point), ...}}."""
    lines = RECORD.known()
    return sorted((*key, part) for part, keys in cells.items() for key in keys if (*key, part) not in lines)
