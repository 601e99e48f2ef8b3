"""The properties of a subject as checks that a simulator runs along with a block's traffic.

What is proven is proven for surroundings that keep what the properties assume. Here both are checked, the assumptions as well, in each cycle behind the
first reset of the whole: an assumption that the traffic of lockstep, or the block around a part, does not keep is one that the proof must not make.
A check that fails ends the simulation with `<subject>.<name> does not hold`; the first time in a simulation that one is asked at all, that is said, too:
`<subject>.<name> is asked`.

Only the rising edge is looked at, as combinational checks could fire while values settle. What the proofs leave any constant (`anyconst`) is drawn once a
simulation, what they leave open in every cycle (`anyseq`) in each, unless it is `tied` to a value that the assumptions allow. Covers are left out, and helpers, of which
nothing is claimed. An assumption of the subject's own that is named by `unkept` is not checked: where it is broken, nothing is claimed until the next reset. That this
is not always so is a check of its own: in `CLAIMED` cycles something is claimed.
"""

import json
import os
import re

from .subject import STATEMENT, Failure, Sources

CONSTANT = re.compile(r"\(\* anyconst \*\) reg (\[[^]]*\] )?([\w ,]+);")
OPEN = re.compile(r"\(\* anyseq \*\) reg (\[[^]]*\] )?(\w+);")
INSIDE = re.compile(r"\(\* hierconn \*\) wire (\[.*?\] )?\\(\S+) ;")
GUIDED = re.compile(r"^`ifdef GUIDED$.*?^`endif$", re.MULTILINE | re.DOTALL)
COVER = re.compile(r"\w+\s*:\s*cover property \(")
# Words of SystemVerilog that properties use as names, as Yosys knows them for none.
RESERVED = re.compile(r"\b(before|cell|inside|within)\b")
BEHIND_RESET = "is_behind_reset"
BEYOND = "is_beyond_what_is_assumed"
CLAIMED = 1_000
ENVIRONMENT = re.compile(r"^  environment_resets: .*\n", re.MULTILINE)


def closing(text, start):
    """The place behind the bracket that closes the one before `start`."""
    depth = 1
    for place in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place + 1
    raise Failure(f"a bracket is not closed: {text[start - 40:start]}", "the properties of scripts/proofs are SystemVerilog")


def without_covers(text):
    """Covers are no checks."""
    pieces, place = [], 0
    while found := COVER.search(text, place):
        pieces.append(text[place : found.start()])
        place = text.index(";", closing(text, found.end())) + 1
    return "".join(pieces) + text[place:]


def checks(subject, top, module, text):
    """Statements of a module as checks at the edge."""
    pieces, place = [], 0
    here = subject.module(subject.point)
    unasked, unkept = (subject.settings.get(key, {}) for key in ("unasked", "unkept"))
    behind = f"{top}.{BEHIND_RESET}" + (f" && !{here}.{BEYOND}" if unkept else "")
    # The same statement of two parts is two checks.
    within = "" if module == here else f" in {module.removeprefix(top + '_')}"
    while found := STATEMENT.search(text, place):
        before, opened = text[place : found.start()], text.index("(", found.end()) + 1
        end = closing(text, opened)
        # The statement's own `always` is the last one before it.
        head, _, guard = before.rpartition("always @(*)")
        name, condition = f"{subject.name}.{found['name']}", text[opened : end - 1]
        if found["name"].startswith("helper_"):
            pieces.append(head)
        elif module == here and found["name"] in unkept:
            broken = f"broken_{found['name']}"
            pieces.append(f"{head}reg {broken}; always @(*) begin {broken} = 1'b0;{guard}{broken} = !({condition}); end")
        else:
            asked = f"asked_{found['name']}"
            says = "" if found["name"] + within in unasked else f'if (!{asked}) $display("{name}{within} is asked"); '
            pieces.append(
                f"{head}reg {asked} = 1'b0; always @(posedge {top}.clock) if ({behind}){guard}begin "
                f'{says}{asked} <= 1\'b1; if (!({condition})) $fatal(1, "{name} does not hold"); end'
            )
        place = text.index(";", end) + 1
    return "".join(pieces) + text[place:]


def translated(subject, top, name, text):
    """A module with properties, for a simulator."""
    text = ENVIRONMENT.sub("", without_covers(GUIDED.sub("", text)))
    text = "\n".join(renamed(line) for line in text.split("\n"))
    text = INSIDE.sub(lambda found: f"wire {found[1] or ''}\\{found[2]} = {found[2]};", text)
    here = subject.module(subject.point)
    part = "" if name == here else name.removeprefix(top + "_")
    # Of a part, what the subject calls it.
    tied = {key: f"{here}.{value}" if part else value for key, value in subject.settings.get("tied", {}).get(part, {}).items()}
    for pattern in (CONSTANT, OPEN):
        text = pattern.sub(lambda found: anything(top, tied, found), text)
    if tied:
        raise Failure(f"{subject.name}: nothing is open in {name} that is named '{next(iter(tied))}'", "`tied` says so")
    return checks(subject, top, name, text)


def renamed(line):
    """A line without names that are words of the language; its comment stays."""
    code, mark, comment = line.partition("//")
    return RESERVED.sub(r"\1_", code) + mark + comment


def anything(top, tied, found):
    """What a declaration leaves open: tied to something, drawn at the start, or in every cycle."""
    width, drawn_once = found[1] or "", "anyconst" in found[0]
    pieces = []
    for name in (name.strip() for name in found[2].split(",")):
        if name in tied:
            pieces.append(f"wire {width}{name} = {tied.pop(name)};")
        elif drawn_once:
            pieces.append(f"reg {width}{name}; initial {drawn(name)}")
        else:
            pieces.append(f"reg {width}{name}; always @(posedge {top}.clock) {name} <= $urandom;")
    return " ".join(pieces)


def beyond(subject, top):
    """Whether an assumption that the traffic need not keep has been broken since the last reset, and the cycles in which none was."""
    broken = " || ".join(f"broken_{name}" for name in subject.settings["unkept"])
    return f"""  reg was_beyond = 1'b0;
  wire {BEYOND} = was_beyond || {broken};
  reg [31:0] claimed = 0;
  always @(posedge {top}.clock) begin
    was_beyond <= !{top}.reset && {BEYOND};
    if ({top}.{BEHIND_RESET} && !{BEYOND}) claimed <= claimed + 1;
    if (claimed == {CLAIMED}) $display("{subject.name}.claimed is asked");
  end"""


def drawn(name):
    """An assignment that draws a constant, of any width: half of the time with few bits set, as what is counted from 0 on is small."""
    word, dense = "{$urandom, $urandom, $urandom, $urandom}", "{128{1'b1}}"
    sparse = " & ".join([word] * 4)
    return f"{name} = {word} & ($urandom & 32'd1 ? {dense} : {sparse});"


def write(subject, exports, folder):
    """The whole export of a subject with its checks, in a folder of its name, and where a bench finds it (`bench.json`); it is made anew. Of a second place the export
    is named behind a dot."""
    for number, place in enumerate(subject.places()):
        write_place(subject.moved(place, exports), exports, os.path.join(folder, subject.name + (f".{place['export']}" if number else "")))


def write_place(subject, exports, folder):
    """The same of one place; there the part is what it is where it is proven."""
    sources = Sources(subject, exports, subject.point)
    plain = dict(sources.files)
    sources.bind()
    sources.insert(sources.root, f"  reg was_reset = 1'b0;\n  always @(posedge clock) if (reset) was_reset <= 1'b1;\n  wire {BEHIND_RESET} = was_reset && !reset;")
    defines = sources.defines + (["SMALLEST"] if sources.smallest else [])
    head = "".join("`define " + define.replace("=", " ") + "\n" for define in defines)
    if subject.settings.get("unkept"):
        sources.insert(sources.top, beyond(subject, sources.root))
    sources.files = {name: text if text == plain[name] else head + translated(subject, sources.root, name, text) for name, text in sources.files.items()}
    sources.write(folder)
    with open(os.path.join(folder, "bench.json"), "w", encoding="utf-8") as file:
        json.dump({"export": subject.export, "point": subject.point}, file)
