"""Of what the rows of docs/proofs.md are: docs/proofs.txt, a line `HASH SUBJECT` for each that is proven as its row says."""

import hashlib
import json
import sys

from prover.subject import Failure, Subject, hierarchy, sections, subjects
from records import Record, bare

RECORD = Record("proofs.txt", {"SUBJECT": r"\w+"}, "scripts/prove --write writes it", Failure)
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


def known():
    """{subject: hash}."""
    return {name: text for (name,), text in RECORD.known().items()}


def write(subjects, exports, proven):
    """Puts down of what the rows of these subjects are, of those that are proven; of the others nothing is known any more."""
    judged = {subject.name for subject in subjects}
    lines = {names: text for names, text in RECORD.known().items() if names[0] not in judged}
    RECORD.write(lines | {(subject.name,): code(subject, exports) for subject in subjects if subject.name in proven})


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


if __name__ == "__main__":
    # `HASH SUBJECT` of each subject with the exports of a folder: what the stamps of scripts/nightly hang on.
    try:
        for chosen in subjects():
            print(code(Subject(chosen), sys.argv[1]), chosen)
    except Failure as failure:
        print(f"record: {failure}\n  hint: {failure.hint}", file=sys.stderr)
        sys.exit(2)
