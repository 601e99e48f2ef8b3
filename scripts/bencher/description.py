"""What operations.json says of blocks, read into the vectors that a test bench applies.

It is a list of entries. Each says of a `block`, or of a list of blocks with the same ports, what its `inputs` have all the time; its `handshakes`,
{valid: ready}; who `answers` it, {request: {"answer": response, "after": cycles}}, a memory or an allocator that takes a request in any cycle and answers so
many cycles later, in order; and its `operations`:

    name      what is done
    bound     cycles of one, at most: what the block's documentation promises
    inputs    more inputs, or others
    prepare   vectors, applied once, after a reset
    repeat    vectors, applied again and again, `i` counting
    count     how many repetitions are measured (32), after as many that are not: by then the block is in its stride
    each      operations of a repetition; without it as many as it has vectors that are timed

A vector gives inputs their values, and may have

    times     it is applied so often, `j` counting
    until     values of outputs: it stays until they have them
    shows     values of outputs that have to be there when it is left; looked at where it is measured
    timed     0: its cycles do not count

It is left at the first edge at which each valid that it raises meets its ready, and `until` holds. So one with neither takes a cycle whatever the block
does, and has to say what the block shows: an operation of which nothing could fail is refused. Numbers may be expressions over `i`, `j` and the parameters of
the point; a bound may be an object with one for each block.
"""

import json
import os
from fractions import Fraction

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "operations.json")
# Repetitions that are measured, where an operation says nothing else: whatever goes round in 2, 4, 8, 16 or 32 steps is then where it began.
COUNT = 32
# What an entry, an operation and a vector may say; the first so many of them have to be there.
ENTRY = (2, ("block", "operations", "inputs", "handshakes", "answers"))
OPERATION = (3, ("name", "bound", "repeat", "inputs", "prepare", "count", "each"))
VECTOR = ("times", "until", "shows", "timed")
# What an expression may call; log2 is of powers of two.
FUNCTIONS = {"log2": lambda number: number.bit_length() - 1, "range": range, "sum": sum}
# Cycles of reset before each operation.
RESET = 4


class Failure(Exception):
    """What went wrong and where, what helps, and the exit code: 2 is bad input, 1 a block that does not do what is said of it."""

    def __init__(self, what, hint, code=2):
        super().__init__(what)
        self.hint, self.code = hint, code


class Vector:
    """What is applied: values of inputs, what is waited for and what has to be seen, as {port: value}; whether its cycles count, and where it stands."""

    def __init__(self, where, inputs, until, shows, timed, measured):
        self.where, self.inputs, self.until, self.shows, self.timed, self.measured = where, inputs, until, shows, timed, measured
        self.reset = self.ends = False


def evaluate(expression, names, place):
    """A number, or what an expression says, as a fraction."""
    if isinstance(expression, int):
        return Fraction(expression)
    try:
        # The file is part of the repository.
        return Fraction(eval(expression, {"__builtins__": FUNCTIONS, **names})).limit_denominator(10**6)
    except Exception as error:
        raise Failure(f"{place}: '{expression}' has no value: {error}", f"an expression may name {', '.join(names)}") from None


def check_keys(what, needed, known, place):
    """A slip in a name would otherwise go unseen."""
    for name in what:
        if name not in known:
            raise Failure(f"{place}: '{name}' is nothing that can be said there", f"there may be {', '.join(known)}")
    for name in known[:needed]:
        if name not in what:
            raise Failure(f"{place}: '{name}' is missing", "the head of scripts/bencher/description.py says what it means")


class Subject:
    """A block at a point: what an entry of the file says of it, and `export`, what the manifest does."""

    def __init__(self, entry, export):
        self.export, self.parameters = export, export["parameters"]
        self.place = f"scripts/bencher/operations.json, {export['block']}"
        self.widths = {port["name"]: port["width"] for port in export["ports"]}
        self.handshakes, self.answers = entry.get("handshakes", {}), entry.get("answers", {})
        inputs = [port["name"] for port in export["ports"] if port["direction"] == "in" and port["name"] not in ("clock", "reset")]
        self.outputs = [port["name"] for port in export["ports"] if port["direction"] == "out"]
        answering = [f"{request}_ready" for request in self.answers] + [f"{how['answer']}_valid" for how in self.answers.values()]
        self.check_ports(answering, inputs, "input")
        self.check_ports([f"{request}_valid" for request in self.answers] + list(self.handshakes.values()), self.outputs, "output")
        # Inputs that are the vectors' to set: those of who answers are not.
        self.inputs = [name for name in inputs if name not in answering]
        self.check_ports(self.handshakes, self.inputs, "input")
        # Of each operation its name, its bound as it is written and as a number, and how many of it are measured; the vectors of all.
        self.names, self.promises, self.bounds, self.measured, self.vectors = [], [], [], [], []
        for operation in entry["operations"]:
            place, bound = f"{self.place}, '{operation['name']}'", operation["bound"]
            if isinstance(bound, dict):
                check_keys(bound, 1, (export["block"], *bound), f"{place}, bound")
                bound = bound[export["block"]]
            found, number = self.read({**entry.get("inputs", {}), **operation.get("inputs", {})}, operation, place)
            self.names.append(operation["name"])
            self.promises.append(str(bound))
            self.bounds.append(evaluate(bound, self.parameters, place))
            self.measured.append(number)
            self.vectors += found

    def check_ports(self, names, ports, kind):
        """Complains about a port that the block does not have."""
        for name in names:
            if name not in ports:
                raise Failure(f"{self.place}: at {self.export['point']} it has no {kind} '{name}'", f"`cargo export show {self.export['block']}` prints its ports")

    def number(self, expression):
        """What an expression over the parameters says."""
        return int(evaluate(expression, self.parameters, self.place))

    def values(self, said, ports, kind, names, place):
        """{port: value}, as wide as the port is."""
        self.check_ports(said, ports, kind)
        return {name: int(evaluate(number, names, place)) & (1 << self.widths[name]) - 1 for name, number in said.items()}

    def read(self, always, operation, place):
        """The vectors of an operation, from its reset on, and how many operations are measured in them."""
        reset = Vector(f"'{operation['name']}', reset", {}, {}, {}, False, False)
        reset.reset = True
        found = [reset] * RESET

        def add(vector, where, i, measured):
            for j in range(int(evaluate(vector.get("times", 1), {**self.parameters, "i": i}, place))):
                names = {**self.parameters, "i": i, "j": j}
                given = {**always, **{name: number for name, number in vector.items() if name not in VECTOR}}
                inputs = self.values(given, self.inputs, "input", names, place)
                until, shows = (self.values(vector.get(kind, {}), self.outputs, "output", names, place) for kind in ("until", "shows"))
                timed = bool(evaluate(vector.get("timed", 1), names, place))
                found.append(Vector(f"'{operation['name']}', {where}", inputs, until, shows, timed, measured))

        for number, vector in enumerate(operation.get("prepare", [])):
            add(vector, f"vector {number} of prepare", 0, False)
        count = int(evaluate(operation.get("count", COUNT), self.parameters, place))
        for i in range(2 * count):
            for number, vector in enumerate(operation["repeat"]):
                add(vector, f"vector {number} of repetition {i}", i, i >= count)
        found[-1].ends = True
        timed = [vector for vector in found if vector.measured and vector.timed]
        if not any(vector.until or vector.shows or any(vector.inputs.get(valid) for valid in self.handshakes) for vector in timed):
            raise Failure(f"{place}: nothing of it could fail", "a vector that is timed needs a handshake, an 'until' or a 'shows'")
        return found, count * int(evaluate(operation["each"], self.parameters, place)) if "each" in operation else len(timed)


def entries():
    """Pairs of a block and an entry about it, in the order of the file."""
    try:
        with open(FILE, encoding="utf-8") as file:
            described = json.load(file)
    except json.JSONDecodeError as error:
        hint = "it is a list of entries; the head of scripts/bencher/description.py says what they say"
        raise Failure(f"scripts/bencher/operations.json, line {error.lineno}: {error.msg}", hint) from None
    for entry in described:
        blocks = entry.get("block", [])
        blocks = [blocks] if isinstance(blocks, str) else blocks
        place = f"scripts/bencher/operations.json, {', '.join(blocks) or 'an entry'}"
        check_keys(entry, *ENTRY, place)
        for operation in entry["operations"]:
            check_keys(operation, *OPERATION, f"{place}, '{operation.get('name', 'an operation')}'")
        for block in blocks:
            yield block, entry
