"""Of what the rows of docs/proofs.md are: docs/proofs.txt, a line `HASH SUBJECT` for each that is proven as its row says, and docs/equivalence.txt, a line
`HASH BLOCK` for each whose netlist is equal as its row says."""

import hashlib
import json
import math
import os
import re
import sys

from prover import claims, table
from prover.subject import Failure, Subject, calculated, hierarchy, manifest, parameters, sections, subjects
from records import Record, bare
from synthesizer.record import verilog

# A line of an export that begins an instance.
INSTANCE = re.compile(r"^  (\w+) \w+ \($", re.MULTILINE)

RECORD = Record("proofs.txt", {"SUBJECT": r"\w+"}, "scripts/prove --write writes it", Failure)
EQUIVALENCE = Record("equivalence.txt", {"BLOCK": r"\w+"}, "scripts/equivalence --write writes it", Failure)
# What only simulations and mutations ask of a subject: no proof is another one by it.
ELSEWHERE = {"simulated", "unkept", "tied", "focus", "qualified", "unasked", "quick"}


def code(subject, exports):
    """A hash of all that a proof is about, whatever comments say: the Verilog at each point, its properties and those of its parts, and the rest of what the subject
    says."""
    settings = {key: value for key, value in subject.settings.items() if key not in ELSEWHERE}
    verilog = {point: hierarchy(exports, f"{subject.export}_{point}", subject.module(point)) for point in [subject.point, *subject.larger]}
    if missing := [point for point, modules in verilog.items() if modules is None]:
        raise Failure(f"there is no export of {subject.name} at {missing[0]}", "--from names a folder that `cargo export` has written all blocks to")
    texts = {name: {part: bare(text) for part, text in sections(each.text).items()} for name, each in {"": subject, **subject.embedded}.items()}
    return hashlib.sha256(json.dumps([settings, verilog, texts], sort_keys=True).encode()).hexdigest()[:16]


def resolved(text, defined, macros):
    """Verilog as a preprocessor leaves it that knows of these names whether they are `defined`, and of these macros what they are; without its comments, and with one
    space where there are several, or ends of lines. Other conditions stay as they are."""
    kept, open_ones = [], []
    for line in bare(text).splitlines():
        word, *name = line.split() or [""]
        if word in ("`ifdef", "`ifndef"):
            open_ones.append((word == "`ifdef") == defined[name[0]] if name[0] in defined else None)
        elif word == "`elsif":
            raise Failure(f"`elsif {name[0]} in the properties", "an `ifdef inside an `else says the same")
        elif word == "`else" and open_ones[-1] is not None:
            open_ones[-1] = not open_ones[-1]
        elif word == "`endif" and open_ones.pop() is not None:
            continue
        if word not in ("`ifdef", "`ifndef", "`else") or open_ones[-1] is None:
            if False not in open_ones:
                kept.append(line)
    text = re.sub(r"`(\w+)", lambda found: macros.get(found[1], found[0]), " ".join(kept))
    return " ".join(text.split())


def smallest(subject, exports):
    """A hash of what is said of a subject at its smallest point: that Verilog alone, and the properties as they are there. Larger points may come and go."""
    settings = {key: value for key, value in subject.settings.items() if key not in ELSEWHERE | {"larger"}}
    root = f"{subject.export}_{subject.point}"
    verilog = hierarchy(exports, root, subject.module(subject.point))
    if verilog is None:
        raise Failure(f"there is no export of {subject.name} at {subject.point}", "--from names a folder that `cargo export` has written all blocks to")
    values = {name.upper(): value for name, value in parameters(exports, root).items()}
    macros = {name: str(value) for name, value in values.items()}
    texts = {
        name: {part: resolved(calculated(text, values), {"SMALLEST": True, "ARRAYS": False}, macros) for part, text in sections(each.text).items()} for name, each in {"": subject, **subject.embedded}.items()
    }
    return hashlib.sha256(json.dumps([settings, verilog, texts], sort_keys=True).encode()).hexdigest()[:16]


def around(folder, module):
    """A module of an export, and those in which it stands, down from the top."""
    texts = {}
    for file in (name for name in os.listdir(folder) if name.endswith(".v")):
        with open(os.path.join(folder, file), encoding="utf-8") as text:
            texts[file[:-2]] = set(INSTANCE.findall(text.read()))
    found, open_ones = set(), {module} & texts.keys()
    while open_ones:
        found |= open_ones
        open_ones = {name for name, parts in texts.items() if parts & open_ones} - found
    return found


def places(block, exports):
    """{export: its modules that say something of a block, by what they are called there}: of the block itself at its smallest point all, of others of that point those around it."""
    there = manifest(exports)
    point = min((export for export in there if export["block"] == block), key=lambda export: math.prod(export["parameters"].values()))["point"]
    found = {}
    for other in sorted(export["block"] for export in there if export["point"] == point):
        root, folder = f"{other}_{point}", os.path.join(exports, f"{other}_{point}")
        modules = [name[:-2] for name in os.listdir(folder) if name.endswith(".v")] if other == block else around(folder, f"{root}_{block}")
        if modules:
            found[root] = {module[len(root) + 1 :] or other for module in modules}
    return found


def near(names):
    """The subjects that may say something of modules of these names."""

    def stands(subject):
        # A part of several sizes has one file for all. A subject that has the name of its export, but is of a part of that, says nothing of who stands beside the part.
        keys = {subject.part or subject.export} | {subject.name} - {subject.export}
        return any(name == key or name.startswith(f"{key}_") for name in names for key in keys)

    return [subject for subject in map(Subject, subjects()) if stands(subject)]


def broken(exports):
    """(block, hash): of what a mutation of a block may ask, the proofs of its parts and of what it stands in, at the smallest points, and the Verilog of that."""
    codes = {}
    for block in sorted({export["block"] for export in manifest(exports)}):
        found = places(block, exports)
        asked = near(set().union(*found.values()))
        for subject in asked:
            if subject.name not in codes:
                settings = {key: value for key, value in subject.settings.items() if key != "larger"}
                codes[subject.name] = [smallest(subject, exports), settings]
        lines = [{subject.name: codes[subject.name] for subject in asked}, {root: verilog(exports, root) for root in found}]
        yield block, hashlib.sha256(json.dumps(lines, sort_keys=True).encode()).hexdigest()[:16]


def known(record=RECORD):
    """{subject: hash}."""
    return {name: text for (name,), text in record.known().items()}


def renew(record, judged, lines):
    """Puts down {name: hash} of those of the `judged` that all is well with; of the others nothing is known any more. For who is `alone`."""
    others = {name: text for name, text in known(record).items() if name not in judged}
    record.write({(name,): text for name, text in (others | lines).items()})


def write(subjects, exports, proven):
    """Puts down of what the rows of these subjects are, of those that are proven."""
    lines = {subject.name: code(subject, exports) for subject in subjects if subject.name in proven}
    with table.alone():
        renew(RECORD, {subject.name for subject in subjects}, lines)


def disagreements(subjects, exports, rows):
    """What the document says of other text than there is, or not at all, and what claims say of other invariants, a sentence each; `rows` are the subjects of its table."""
    lines, names = known(), {subject.name for subject in subjects}
    for subject in subjects:
        if subject.name not in rows:
            yield f"docs/proofs.md has no row of {subject.name}: scripts/prove {subject.name} --write"
        elif lines.get(subject.name) != code(subject, exports):
            yield f"docs/proofs.md: the row of {subject.name} is of other Verilog or other properties, or not on record as proven: scripts/prove {subject.name} --write"
    for name in sorted({*lines, *rows} - names):
        yield f"docs/proofs: there is nothing to prove of '{name}'"
    yield from claims.disagreements(subjects)


def settled(there, rows):
    """The blocks whose netlists are on record, and by their rows equal; `there` is {block: (its point, the hash of what is compared)}, `rows` as `table.equivalences` has them."""
    lines = known(EQUIVALENCE)
    return {block for block, (point, text) in there.items() if rows.get(block) == (point, True) and lines.get(block) == text}


def other_netlists(there, rows):
    """What the table of netlists says of others than there are, or not at all, a sentence each."""
    lines = known(EQUIVALENCE)
    for block, (point, text) in sorted(there.items()):
        again = f"scripts/equivalence {block} --write"
        if block not in rows:
            yield f"docs/proofs.md has no row of the netlist of {block}: {again}"
        elif rows[block][0] != point:
            yield f"docs/proofs.md: the netlist of {block} was compared at {rows[block][0]}, and the smallest point is {point}: {again}"
        elif not rows[block][1]:
            yield f"docs/proofs.md: by its row the netlist of {block} is not equal, or a broken one is not noticed: {again}"
        elif lines.get(block) != text:
            yield f"docs/proofs.md: the netlist of {block} was compared with other Verilog, or by other commands or tools, or is not on record as equal: {again}"
    for block in sorted({*lines, *rows} - there.keys()):
        yield f"docs/proofs.md, docs/equivalence.txt: there is no export of '{block}': remove its row and its line"


if __name__ == "__main__":
    # What the stamps of scripts/nightly hang on: `HASH SUBJECT` of each subject with the exports of a folder; with --broken behind the folder, `HASH BLOCK` of what a
    # mutation asks of these.
    try:
        if sys.argv[2:] == ["--broken"]:
            for chosen, text in broken(sys.argv[1]):
                print(text, chosen)
        else:
            for chosen in subjects():
                print(code(Subject(chosen), sys.argv[1]), chosen)
    except Failure as failure:
        print(f"record: {failure}\n  hint: {failure.hint}", file=sys.stderr)
        sys.exit(2)
