"""Of what the rows of docs/synthesis.md were measured: docs/synthesis.txt, a line `HASH BLOCK POINT PART` for each part of a row that is known, the hash that
of the Verilog and of the recipe: the commands and the versions of the tools."""

import hashlib
import os

from records import Record, bare
from synthesizer.flows import recipe
from synthesizer.tools import Failure

RECORD = Record("synthesis.txt", {"BLOCK": r"\w+", "POINT": r"[\w-]+", "PART": "tables|ecp5|fmax|asic"}, "scripts/synth writes it", Failure)
# What is measured of a row, and the results that it consists of.
PARTS = {"tables": "control", "ecp5": "ecp5", "fmax": "fmax", "asic": "asic"}


def code(folder, name, part):
    """A hash of the Verilog of an export, whatever its comments say, and of how the part is measured."""
    total = hashlib.sha256(recipe(part).encode())
    for file in sorted(os.listdir(os.path.join(folder, name))):
        if file.endswith(".v"):
            with open(os.path.join(folder, name, file), encoding="utf-8") as opened:
                total.update(f"{file}\0{bare(opened.read())}\0".encode())
    return total.hexdigest()[:16]


def write(rows, parts, exports, complete):
    """Puts down of what these rows are, as far as `parts` were measured; others stay, unless the run was of everything."""
    lines = RECORD.known()
    if complete:
        measured = {(row["block"], row["point"]) for row in rows}
        lines = {key: text for key, text in lines.items() if key[:2] in measured}
    for row in rows:
        name = f"{row['block']}_{row['point']}"
        lines |= {(row["block"], row["point"], part): code(exports, name, part) for part, result in PARTS.items() if part in parts and row[result] is not None}
    RECORD.write(lines)


def disagreements(exports, there):
    """What was measured of other Verilog than the export's, or in another way, a sentence each."""
    for (block, point, part), text in sorted(RECORD.known().items()):
        if (block, point) not in there:
            yield f"docs/synthesis.txt: {block} at {point} is not exported"
        elif text != code(exports, f"{block}_{point}", part):
            option = "--fmax --only fmax" if part == "fmax" else f"--only {part}"
            yield f"docs/synthesis.md: '{part}' of {block} at {point} was measured of other Verilog or by other tools: scripts/synth {block} --point {point} {option}"


def unknown(cells):
    """The parts of rows of which nobody knows what they were measured of; `cells` are those of the tables, {part: {(block, point), ...}}."""
    lines = RECORD.known()
    return sorted((*key, part) for part, keys in cells.items() for key in keys if (*key, part) not in lines)


def due(export, parts, settled):
    """Those parts of an export whose row is not of its Verilog and of today's recipe, or not among the `settled` cells, {part: {(block, point), ...}}."""
    lines, key, exports = RECORD.known(), (export.block, export.point), os.path.dirname(export.folder)
    return {part for part in parts if key not in settled[part] or lines.get((*key, part)) != code(exports, export.name, part)}
