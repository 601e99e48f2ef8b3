"""Of what the rows of docs/synthesis.md were measured: docs/synthesis.txt, a line `HASH BLOCK POINT PART` for each part of a row that is known, the hash that
of the Verilog and of the recipe: the commands and the versions of the tools. Beside it docs/placements.txt, a line `HASH BLOCK POINT SEED MHZ` for each placement
of which a clock frequency is the median, from the time on at which they were kept: the largest points take half an hour each."""

import functools
import hashlib
import os
import statistics

from records import Record, bare
from synthesizer.flows import recipe
from synthesizer.tools import Failure

RECORD = Record("synthesis.txt", {"BLOCK": r"\w+", "POINT": r"[\w-]+", "PART": "tables|ecp5|fmax|asic"}, "scripts/synth writes it", Failure)
PLACEMENTS = Record(
    "placements.txt", {"BLOCK": r"\w+", "POINT": r"[\w-]+", "SEED": r"[1-9]\d*", "MHZ": r"\d+\.\d+"}, "scripts/synth --fmax writes it", Failure
)


@functools.cache
def verilog(folder, name):
    """The files of an export as one text, without comments."""
    text = ""
    for file in sorted(os.listdir(os.path.join(folder, name))):
        if file.endswith(".v"):
            with open(os.path.join(folder, name, file), encoding="utf-8") as opened:
                text += f"{file}\0{bare(opened.read())}\0"
    return text


def code(folder, name, part):
    """A hash of the Verilog of an export, whatever its comments say, and of how the part is measured."""
    return hashlib.sha256((recipe(part) + verilog(folder, name)).encode()).hexdigest()[:16]


def write(rows, parts, failed, exports, complete):
    """Puts down of what these rows are, as far as `parts` of them were measured; others stay, unless the run was of everything. What was measured of a row among
    the `failed`, those that do not keep a bound, is not on record any more, so that it is judged again."""
    lines = RECORD.known()
    if complete:
        measured = {(row["block"], row["point"]) for row in rows}
        lines = {key: text for key, text in lines.items() if key[:2] in measured}
    for row in rows:
        name = f"{row['block']}_{row['point']}"
        for part in parts & set(row["parts"]):
            key = (row["block"], row["point"], part)
            if name in failed:
                lines.pop(key, None)
            else:
                lines[key] = code(exports, name, part)
    RECORD.write(lines)
    if "fmax" in parts:
        write_placements(rows, exports, complete)


def write_placements(rows, exports, complete):
    """Puts down the placements of these rows; others stay, unless the run was of everything."""
    measured = {(row["block"], row["point"]): (row["fmax"] or {}).get("placements", {}) for row in rows}
    texts = {(block, point): code(exports, f"{block}_{point}", "fmax") for block, point in measured}
    # Placements of other seeds stay what they are, those of other Verilog go.
    lines = {
        key: text for key, text in PLACEMENTS.known().items() if (texts[key[:2]] == text and int(key[2]) not in measured[key[:2]] if key[:2] in measured else not complete)
    }
    for key, placements in measured.items():
        lines |= {(*key, str(seed), f"{mhz:.2f}"): texts[key] for seed, mhz in placements.items()}
    PLACEMENTS.write(lines)


def placed(export):
    """{seed: MHz} of the placements of this very export that are on record."""
    text, key = code(os.path.dirname(export.folder), export.name, "fmax"), (export.block, export.point)
    return {int(seed): float(mhz) for (*named, seed, mhz), hashed in PLACEMENTS.known().items() if tuple(named) == key and hashed == text}


def medians(exports, there):
    """{(block, point): (MHz, how many placements)} of what is on record of this export, and the complaints about lines that are of none."""
    found, wrong = {}, []
    for (block, point, seed, mhz), text in sorted(PLACEMENTS.known().items()):
        if (block, point) not in there or text != code(exports, f"{block}_{point}", "fmax"):
            wrong.append(f"docs/placements.txt: seed {seed} of {block} at {point} is of other Verilog, or of other commands or tools: scripts/synth {block} --fmax")
        else:
            found.setdefault((block, point), []).append(float(mhz))
    return {key: (round(statistics.median(numbers), 1), len(numbers)) for key, numbers in found.items()}, wrong


def disagreements(exports, there):
    """What was measured of other Verilog than the export's, or in another way, a sentence each."""
    for (block, point, part), text in sorted(RECORD.known().items()):
        if (block, point) not in there:
            yield f"docs/synthesis.txt: {block} at {point} is not exported"
        elif text != code(exports, f"{block}_{point}", part):
            option = "--fmax --only fmax" if part == "fmax" else f"--only {part}"
            yield f"docs/synthesis.md: '{part}' of {block} at {point} was measured of other Verilog, or with other commands or tools: scripts/synth {block} --point {point} {option}"


def unknown(rows):
    """The parts of rows of which nobody knows what they were measured of; `rows` are those of the tables, {part: {(block, point): ...}}."""
    lines = RECORD.known()
    return sorted((*key, part) for part, keys in rows.items() for key in keys if (*key, part) not in lines)


def missing(export, parts, settled):
    """Those of the parts of an export that are not on record for its Verilog and today's recipe, or not `settled` in the tables, {part: {(block, point), ...}}."""
    lines, key, exports = RECORD.known(), (export.block, export.point), os.path.dirname(export.folder)
    return {part for part in parts if key not in settled[part] or lines.get((*key, part)) != code(exports, export.name, part)}
