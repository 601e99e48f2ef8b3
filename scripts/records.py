"""Of what text the rows of a document are: a file of lines `HASH NAME...` beside it."""

import os
import re

REPOSITORY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COMMENT = re.compile(r"\s*//.*|\s+(?=\n)")


def bare(text):
    """Verilog without its comments."""
    return COMMENT.sub("", text)


class Record:
    """`file` in docs, whose lines have these `names`, {what it is: its regular expression}, behind the hash; `hint` says who writes it. A line that is none raises
    `failure`, with a message and the hint."""

    def __init__(self, file, names, hint, failure):
        self.path = os.path.join(REPOSITORY, "docs", file)
        self.line = re.compile(" ".join(["([0-9a-f]{16})", *(f"({pattern})" for pattern in names.values())]))
        self.hint = f"a line is HASH {' '.join(names)}; {hint}"
        self.failure = failure

    def known(self):
        """{names: hash}, the names as a tuple."""
        if not os.path.isfile(self.path):
            return {}
        with open(self.path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        found = [self.line.fullmatch(line) for line in lines]
        if None in found:
            wrong = found.index(None)
            raise self.failure(f"docs/{os.path.basename(self.path)}, line {wrong + 1}: '{lines[wrong]}' is no record", self.hint)
        return {line.groups()[1:]: line[1] for line in found}

    def write(self, lines):
        """Puts down these instead, in order."""
        with open(self.path + ".part", "w", encoding="utf-8") as file:
            file.writelines(f"{text} {' '.join(names)}\n" for names, text in sorted(lines.items()))
        os.replace(self.path + ".part", self.path)
