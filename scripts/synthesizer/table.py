"""The tables of docs/synthesis.md and the short one of the README."""

import json
import os
import re

from synthesizer.tools import REPOSITORY, Failure

DOCUMENT = os.path.join(REPOSITORY, "docs", "synthesis.md")
README = os.path.join(REPOSITORY, "README.md")
SEEDS = 5

HEADER = [
    "| block | point | control LUT / FF / levels | all LUT / FF / levels | ECP5 LUT4 / FF / levels | DPR16X4 | DP16KD | Fmax MHz |",
    "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
]
LIBRARY_HEADER = [
    "| block | point | control: cells | µm² | NAND2 | longest path ns | memory bits beside it | all: cells | µm² | NAND2 | longest path ns |",
    "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
]
README_HEADER = ["| block | point | LUT | FF | levels | RAM bits | NAND2 | Fmax MHz |", "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
# What the README shows: whole blocks at sizes that one would build.
SHOWN = [
    ("token_deque", "4x32x32"), ("divergence_unit", "4x32x32"), ("tree_divergence_table", "4x32x64"), ("group_divergence_table", "8x32x64g"),
    ("plain_barrier", "8x8x8"), ("barrier_scheduler", "16x8x8x16x16"), ("work_distributor", "4x2"), ("context_sequencer", "16"),
    ("control_core", "4x32x32"), ("control_core_tree", "4x32x64"), ("control_core_suspending", "4x32x32"),
]
KEY = re.compile(r"^\| `(\w+)` \| ([\w-]+) \|(.*)\|$", re.MULTILINE)
# A cell of a part that was not measured in this run: what the document says stays.
KEEP = None
# The cell of a row that exists so that it is not forgotten, and where it stands in each table.
NOT_YET = "not yet"
FIRST = {"synth": (0, 2), "library": (0,)}
# The cells of each part of a row.
CELLS = {"tables": ("synth", (0, 1)), "ecp5": ("synth", (2, 3, 4)), "fmax": ("synth", (5,)), "asic": ("library", range(9))}


def over(part):
    """The cell of a measurement that did not end."""
    return f"> {part['over']} s"


def triple(part, first):
    """Tables, flip-flops and levels in a cell."""
    if part is None:
        return KEEP
    return over(part) if "over" in part else f"{part[first]:,} / {part['ff']:,} / {part['levels']}"


def megahertz(fmax):
    """The cell of a clock frequency, with what was other than usual."""
    if "over" in fmax:
        return over(fmax)
    unusual = ([] if fmax["seeds"] == SEEDS else [f"{fmax['seeds']} seed" + "s" * (fmax["seeds"] > 1)]) + ([] if fmax["carry_cells"] else ["no carry cells"])
    return f"{fmax['mhz']:.0f}" + (f" ({', '.join(unusual)})" if unusual else "")


def table_cells(row):
    """The cells of the first table."""
    ecp5, fmax = row["ecp5"], row["fmax"]
    ram = [KEEP, KEEP]
    if ecp5:
        ram = ["", ""] if "over" in ecp5 else [str(ecp5["dpr16x4"]), str(ecp5["dp16kd"])]
    frequency = megahertz(fmax) if fmax else KEEP
    # Memories that are too large to be mapped leave their cell empty, whatever it said of other Verilog.
    both = [triple(row["control"], "lut"), triple(row["all"], "lut") or ""] if "tables" in row["parts"] else [KEEP, KEEP]
    return [*both, triple(ecp5, "lut4"), *ram, frequency]


def library_cells(row):
    """The cells of the table of standard cells."""
    def four(part):
        if part is None:
            return [""] * 4
        return [over(part), "", "", ""] if "over" in part else [f"{part['cells']:,}", f"{part['area']:,}", f"{part['nand2']:,}", f"{part['delay_ns']:.2f}"]

    if "asic" not in row["parts"]:
        return [KEEP] * 9
    bits = KEEP if "over" in row["control"] else f"{row['control']['memory_bits']:,}"
    return four(row["asic"]) + [bits] + four(row["asic_all"])


def lines(rows, cells):
    """Rows as Markdown, what was not measured empty."""
    return [f"| `{row['block']}` | {row['point']} | " + " | ".join(cell or "" for cell in cells(row)) + " |" for row in rows]


def between(text, marker, document=DOCUMENT):
    """The match of `<!-- marker -->`, the lines behind it, and `<!-- /marker -->`."""
    found = re.search(rf"(<!-- {marker} -->\n)(.*?)(<!-- /{marker} -->)", text, re.DOTALL)
    if not found:
        raise Failure(f"{document} has no markers '{marker}'", f"restore the lines <!-- {marker} --> and <!-- /{marker} -->")
    return found


def replace_between(text, marker, new, document=DOCUMENT):
    """Puts lines between `<!-- marker -->` and `<!-- /marker -->`."""
    found = between(text, marker, document)
    return text[: found.start(2)] + "\n".join(new) + "\n" + text[found.end(2):]


def kept(text, marker, document=DOCUMENT):
    """{(block, point): cells} of a table."""
    return {(block, point): [cell.strip() for cell in cells.split("|")] for block, point, cells in KEY.findall(between(text, marker, document).group(2))}


def numbers(point):
    """What points are ordered by."""
    return [int(number) for number in re.findall(r"\d+", point)]


def renewed(text, marker, header, rows, cells, complete):
    """The text with the measured cells in a table; other cells stay, and, unless the run was of everything, other rows."""
    table = kept(text, marker)
    if complete:
        measured = {(row["block"], row["point"]) for row in rows}
        table = {key: line for key, line in table.items() if key in measured}
    for row in rows:
        old = table.get((row["block"], row["point"]), empty_row(marker, header))
        new = cells(row)
        if all(cell is KEEP for cell in new):
            continue
        table[row["block"], row["point"]] = [before if cell is KEEP else cell for before, cell in zip(old, new)]
    ordered = sorted(table.items(), key=lambda item: (item[0][0], numbers(item[0][1])))
    return replace_between(text, marker, header + [f"| `{block}` | {point} | " + " | ".join(line) + " |" for (block, point), line in ordered])


def empty_row(marker, header):
    """The cells of a row of which nothing was measured."""
    return [NOT_YET if place in FIRST[marker] else "" for place in range(header[0].count("|") - 3)]


def row_block(line):
    """The block that a line of a table begins with; empty for one that begins with none."""
    found = re.match(r"\| `(\w+)`", line)
    return found.group(1) if found else ""


def keep_others(old, new):
    """A table's new lines, and in between, by name, the old ones of blocks that were not measured."""
    measured = {row_block(line) for line in new}
    return sorted(new + [line for line in old if row_block(line) not in measured | {""}], key=row_block)


def readme_lines(text):
    """The short table, from the tables of the document."""
    tables, cells = kept(text, "synth"), kept(text, "library")
    short = list(README_HEADER)
    for block, point in SHOWN:
        if (block, point) not in tables:
            continue
        control, _, _, _, _, fmax = tables[block, point]
        asic = cells.get((block, point), [""] * 9)
        parts = control.split(" / ") if " / " in control else [control, "", ""]
        short.append(f"| `{block}` | {point} | {' | '.join(parts)} | {asic[4]} | {asic[2]} | {fmax} |")
    return short


def replace_file(path, text):
    """Writes a file at once."""
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".part", path)


def read(path):
    """A file's text."""
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(rows, peers, with_library, complete):
    """Puts what was measured into docs/synthesis.md and the README; rows of other blocks and points stay, unless the run was of everything."""
    text = renewed(read(DOCUMENT), "synth", HEADER, rows, table_cells, complete)
    if with_library:
        text = renewed(text, "library", LIBRARY_HEADER, rows, library_cells, complete)
    for marker, new in peers.items():
        if new:
            text = replace_between(text, marker, keep_others(between(text, marker).group(2).splitlines(), new))
    replace_file(DOCUMENT, text)
    replace_file(README, replace_between(read(README), "synth", readme_lines(text), README))


def exported(folder):
    """The (block, point) of an export."""
    try:
        with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
            return {(entry["block"], entry["point"]) for entry in json.load(file)["exports"]}
    except (OSError, ValueError, KeyError) as error:
        raise Failure(f"{folder} is no export: {error}", "cargo export --out FOLDER writes one") from None


def add_rows(folder):
    """A row for every point of an export that has none, marked as not measured; rows of points that are no more go."""
    there, text = exported(folder), read(DOCUMENT)
    for marker, header in (("synth", HEADER), ("library", LIBRARY_HEADER)):
        empty = empty_row(marker, header)
        old = kept(text, marker)
        table = {key: [cell or blank for cell, blank in zip(old.get(key, empty), empty)] for key in sorted(there, key=lambda key: (key[0], numbers(key[1])))}
        text = replace_between(text, marker, header + [f"| `{block}` | {point} | " + " | ".join(line) + " |" for (block, point), line in table.items()])
    replace_file(DOCUMENT, text)
    replace_file(README, replace_between(read(README), "synth", readme_lines(text), README))


def unmeasured():
    """The rows that only say that nobody has measured them."""
    text = read(DOCUMENT)
    return sorted({key for marker in ("synth", "library") for key, cells in kept(text, marker).items() if NOT_YET in cells})


def told():
    """{part: {(block, point): its cells}} of all that the tables tell."""
    text = read(DOCUMENT)
    rows = {marker: kept(text, marker) for marker in FIRST}
    return {
        part: {key: [cells[place] for place in places] for key, cells in rows[marker].items() if cells[places[0]] not in ("", NOT_YET)}
        for part, (marker, places) in CELLS.items()
    }


def settled(limit):
    """{part: the (block, point) of which the tables tell it} as far as a run with this limit, and the usual number of seeds, has nothing to add."""

    def final(cell):
        ended = re.match(r"> (\d+) s", cell)
        return "seed" not in cell and (not ended or int(ended.group(1)) >= limit)

    return {part: {key for key, cells in rows.items() if all(map(final, cells))} for part, rows in told().items()}


def other_medians(medians):
    """The cells that are not the median of the placements on record, {(block, point): (MHz, how many placements)}, a sentence each."""
    for (block, point), [cell] in sorted(told()["fmax"].items()):
        if (block, point) in medians and not cell.startswith(">"):
            mhz, seeds = medians[block, point]
            expected = megahertz({"mhz": mhz, "seeds": seeds, "carry_cells": "no carry cells" not in cell})
            if cell != expected:
                yield f"docs/synthesis.md: Fmax of {block} at {point} is '{cell}', and '{expected}' by docs/placements.txt"


def disagreements(folder):
    """XV-07: what the tables and the export do not have in common, a sentence each."""
    there, text, readme = exported(folder), read(DOCUMENT), read(README)
    for marker in ("synth", "library"):
        table = kept(text, marker)
        for block, point in sorted(there - set(table)):
            yield f"docs/synthesis.md, table '{marker}': no row of {block} at {point}"
        for block, point in sorted(set(table) - there):
            yield f"docs/synthesis.md, table '{marker}': {block} at {point} is not exported"
        for (block, point), cells in sorted(table.items()):
            if not cells[0] or marker == "synth" and not cells[2]:
                yield f"docs/synthesis.md, table '{marker}': the row of {block} at {point} says nothing"
    for block, point in SHOWN:
        if (block, point) not in there:
            yield f"the README shows {block} at {point}, which is not exported"
    if between(readme, "synth", README).group(2).splitlines() != readme_lines(text):
        yield "README.md: its short table is not that of docs/synthesis.md"
