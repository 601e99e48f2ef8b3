"""Yosys, nextpnr and abc as commands with a time limit, and what their reports say."""

import json
import os
import re
import subprocess

from prover import engines

REPOSITORY = engines.REPOSITORY
TOOLS = engines.TOOLS
BIN = engines.BIN
BUILD = os.path.join(REPOSITORY, "build", "synth")


class Failure(Exception):
    """Bad input or a missing tool: a message and a hint, exit code 2."""

    def __init__(self, message, hint):
        super().__init__(message)
        self.hint = hint


class OutOfTime(Exception):
    """A measurement that did not end within its limit."""


def run(command, work, name, limit):
    """Runs a tool in `work`, its output into `name`.log, which is returned; a failure shows the file's end."""
    code, output, _ = engines.run(command, work, name + ".log", limit)
    if code is None:
        raise OutOfTime(name)
    if code != 0:
        tail = "".join(output.splitlines(True)[-6:])
        raise Failure(f"{os.path.basename(command[0])} failed with exit code {code}:\n{tail}", f"the whole log is {os.path.join(work, name)}.log")
    return output


def yosys(work, name, commands, limit):
    """Runs Yosys commands in `work`; returns the log.

    abc9 asks a solver whether what it has mapped is what it was given, behind the mapping; for the largest points that found no end in 20 minutes. The
    netlist does not depend on it, and only size and speed are taken of it; so what an ECP5 netlist does is not checked by anyone.
    """
    return run([os.path.join(BIN, "yosys"), "-p", f"scratchpad -set abc9.verify 0; {commands}"], work, name, limit)


def pinned():
    """{program: version} of the programs that measure, and {package: hash} of the cells that are mapped to."""
    found = {}
    for name in ("tools.txt", "synth.txt", "liberty.txt"):
        with open(os.path.join(REPOSITORY, "scripts", "pins", name), encoding="utf-8") as file:
            found |= dict(re.findall(r"^([\w-]+)(?:==| \S+ )([^\s#]+)", file.read(), re.MULTILINE))
    return found


def setup(group=None):
    """Installs what is missing; false if that is not possible."""
    command = [os.path.join(REPOSITORY, "scripts", "setup")] + ([group] if group else [])
    return subprocess.run(command, stdout=2, stdin=subprocess.DEVNULL, check=False).returncode == 0


def report(work, file):
    """What `stat -json` wrote: the whole design."""
    with open(os.path.join(work, file), encoding="utf-8") as opened:
        text = opened.read()
    # Yosys writes header lines before the object.
    return json.loads(text[text.index("{"):])


def cells(work, file):
    """The cell counts of the whole design."""
    return report(work, file)["design"]["num_cells_by_type"]


def levels(work, name):
    """The length that `ltp` wrote."""
    with open(os.path.join(work, name + ".path"), encoding="utf-8") as file:
        return max(0, int(re.search(r"length=(-?\d+)", file.read()).group(1)))


def flip_flops(counts):
    """Flip-flops among generic cells, whatever their enable and reset."""
    return sum(n for cell, n in counts.items() if re.fullmatch(r"\$_\w*DFF\w*_", cell))


def latches(counts):
    """Latches among generic cells: a mistake in the design."""
    return sum(n for cell, n in counts.items() if "LATCH" in cell)
