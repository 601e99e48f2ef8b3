"""Of what the rows of docs/proofs.md are: docs/proofs.txt, a line `HASH SUBJECT` for each that is proven as its row says."""

import hashlib
import json
import os
import re

from prover.engines import REPOSITORY
from prover.subject import Failure, Sources

RECORD = os.path.join(REPOSITORY, "docs", "proofs.txt")
LINE = re.compile(r"([0-9a-f]{16}) (\w+)")
COMMENT = re.compile(r"\s*//.*|\s+(?=\n)")
# What only simulations and mutations ask of a subject: no proof is another one by it.
ELSEWHERE = {"simulated", "unkept", "tied", "focus", "qualified", "unasked", "quick"}


def reachable(files, top):
    """The modules that one consists of, itself among them, in order."""
    found, open_ones = set(), [top]
    while open_ones:
        module = open_ones.pop()
        if module not in found:
            found.add(module)
            open_ones += files.keys() & set(re.findall(r"^  (\w+) \w+ \($", files[module], re.MULTILINE))
    return sorted(found)


def code(subject, exports):
    """A hash of all that a proof is about, whatever comments say: the Verilog at each point, with its properties and those of its parts, and the rest of what the
    subject says."""
    settings = {key: value for key, value in subject.settings.items() if key not in ELSEWHERE}
    total = hashlib.sha256(json.dumps(settings, sort_keys=True).encode())
    for point in [subject.point, *subject.larger]:
        sources = Sources(subject, exports, point)
        sources.bind()
        for module in reachable(sources.files, sources.top):
            total.update(f"{module}\0{COMMENT.sub('', sources.files[module])}\0".encode())
    return total.hexdigest()[:16]


def known():
    """{subject: hash}."""
    if not os.path.isfile(RECORD):
        return {}
    with open(RECORD, encoding="utf-8") as file:
        lines = file.read().splitlines()
    found = [LINE.fullmatch(line) for line in lines]
    if None in found:
        raise Failure(f"docs/proofs.txt, line {found.index(None) + 1}: '{lines[found.index(None)]}' is no record", "a line is HASH SUBJECT; scripts/prove --write writes it")
    return {line[2]: line[1] for line in found}


def write(subjects, exports, proven):
    """Puts down of what the rows of these subjects are, of those that are proven; of the others nothing is known any more."""
    lines = known() | {subject.name: code(subject, exports) for subject in subjects}
    lines = {name: text for name, text in lines.items() if name in proven or name not in {subject.name for subject in subjects}}
    with open(RECORD + ".part", "w", encoding="utf-8") as file:
        file.writelines(f"{text} {name}\n" for name, text in sorted(lines.items()))
    os.replace(RECORD + ".part", RECORD)


def disagreements(subjects, exports, rows):
    """What the document says of other text than there is, or not at all, a sentence each; `rows` are the subjects of its table."""
    lines, names = known(), {subject.name for subject in subjects}
    for subject in subjects:
        if subject.name not in rows:
            yield f"docs/proofs.md has no row of {subject.name}: scripts/prove {subject.name} --write"
        elif subject.name in lines and lines[subject.name] != code(subject, exports):
            yield f"docs/proofs.md: the row of {subject.name} is of other Verilog or other properties: scripts/prove {subject.name} --write"
    for name in sorted({*lines, *rows} - names):
        yield f"docs/proofs: there is nothing to prove of '{name}'"
