"""What claims are about: the invariants whose numbers they begin with, of those that the heads of the blocks' files state."""

import os
import re

from prover.engines import REPOSITORY

SOURCES = os.path.join(REPOSITORY, "hdl", "src")
# `3.`, `1. and 2.`, "2. and `spill_engine` 5.": of the block that the claim is about, or of the one that is named.
NUMBER = re.compile(r"(?:`(\w+)` )?(\d+)\.( and)? ")
# What an invariant says of itself that no property is about.
NOT_PROVEN = "(tested, not proven)"


def sources():
    """{block: its file, from the repository's root on}."""
    paths = [os.path.join(folder, name) for folder, _, names in os.walk(SOURCES) for name in names]
    return {os.path.basename(path).removesuffix(".rs"): os.path.relpath(path, REPOSITORY) for path in paths}


def invariants(file):
    """{number: text} of the paragraph **Invariants** in the head of a file."""
    with open(os.path.join(REPOSITORY, file), encoding="utf-8") as opened:
        head = " ".join(line[3:].strip() for line in opened if line.startswith("//!"))
    paragraph = re.search(r"\*\*Invariants\*\*(.*?)(?=\*\*|$)", head)
    parts = re.split(r" (\d+)\. ", paragraph[1] if paragraph else "")
    return {int(number): text for number, text in zip(parts[1::2], parts[2::2])}


def named(claim, own):
    """The invariants that a claim begins with, as (block, number); `own` is the block that it is about."""
    found, at, further = [], 0, True
    while further and (match := NUMBER.match(claim, at)):
        found.append((match[1] or own, int(match[2])))
        at, further = match.end(), match[3]
    return found


def disagreements(subjects):
    """Claims that begin with no invariant that there is, and invariants with neither a claim nor NOT_PROVEN, a sentence each."""
    files = sources()
    stated = {block: invariants(file) for block, file in files.items()}
    # A subject is about the block of its name, or else about the one that is exported.
    owners = {subject: subject.name if subject.name in files else subject.export for subject in subjects}
    proven = set()
    for subject, own in owners.items():
        for statement in subject.properties():
            found = named(statement.claim, own)
            proven |= set(found)
            label = f"{subject.name}.{statement.name}: its claim begins with"
            if not found:
                yield f"{label} no number of an invariant of {files[own]}"
            for block, number in found:
                if number not in stated.get(block, {}):
                    yield f"{label} invariant {number} of {block}, and there is none in {files.get(block, 'hdl/src')}"
    for own in sorted(set(owners.values())):
        for number, text in stated[own].items():
            if (own, number) in proven and NOT_PROVEN in text:
                yield f"{files[own]}: invariant {number} says {NOT_PROVEN}, and a claim begins with it"
            if (own, number) not in proven and NOT_PROVEN not in text:
                yield f"{files[own]}: invariant {number} has no claim that begins with it, and does not say {NOT_PROVEN}"
