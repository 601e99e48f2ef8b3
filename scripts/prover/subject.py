"""What is to be proven of a block: a file of properties, and what belongs to them.

`scripts/proofs/<subject>.sv` holds SystemVerilog statements that are put before the `endmodule` of the exported top, so
that they see its registers by their names. A line `// inside <part>` sends what follows into the module of that part.
Each statement is `name: assert`, `name: assume` or `name: cover` with its claim as the last comment before it. Names that begin with `helper_` are
invariants that the induction needs; they are proven with the others. `(* hierconn *) wire [...] \\part.signal ;` declares a signal of
a part; a memory's entries are its `words`, or, at a larger point, eight of them `looked_at` from the entry `look` on. A parameter of the point is a macro, `` `BLOCKS `` the number of blocks; what makes sense for the sizes of the
smallest point only stands under `ifdef SMALLEST`, what needs the `words` of memories under `ifndef ARRAYS`, and under its `else` what the others have instead. `` `{14 * DEPTH - 1}`` is the number that an expression of the point's
parameters has, with `log2` for the bits that so many values need, `` `{range(8)}`` the range of a signal of so many bits, nothing of one. Beside it, `<subject>.json` says where and how far:

    export, part     the block, and the part of it that is looked at by itself, if it is one
    point            the smallest parameter point, where everything is proven
    depth            cycles of bounded checking there: of covers, planted bugs and the base of the induction
    base             the same of the base of the induction alone, where `depth` would take long for all properties together
    reach            cycles in which covers are looked for, where that takes more
    guided           {cover: cycles}: it is looked for among runs that are further restricted, by assumptions under `ifdef GUIDED`, where the way there is long
    induction        the longest induction that is tried
    split            the induction, of that length only, is asked for one property after the other, in the order of the file, where together they are too much
                     for the solver: what follows in the same cycle from others stands behind them
    larger           {point: what is checked there: `cycles` of it, `reach` of covers if they take more, covers that take still more (`beyond`), and the
                     `part` at that point, where its name says its size; `registers`, if memories are no arrays there and show all their `words` ("covers": only
                     where covers are looked for, as yices crashes on some states of arrays); `idle`, the
                     cycles after the reset in which nothing is asked, as a sweep of memories takes: a simulation goes through them, and what is checked begins behind; inputs
                     that stand `still` then, at any value, where the others are low;
                     `free` as below, where parts have other names there; `guided`, {cover: cycles} as above, and
                     `along`, so many cycles of the restricted runs, in which the properties are checked as well}
    with             {part: [helper, ...]}: what these parts' own files assume is asserted, since this block has to keep it; so are the helpers
                     named, of which its induction makes use. A part that there is in several kinds (`ram_4x25`) has the file of all (`ram`)
    simulated        {export, point, part, with: {part: its name there}}: where it is simulated, since what surrounds it there keeps what is assumed, or
                     has more for it to do; a list of these for several places, of which {} is where it is proven. With `only: [assumption, ...]` the traffic of a place
                     keeps no more than these: nothing else is checked there, and nothing of what is proven counts
    unkept           {assumption: why its traffic does not keep it}: there, nothing is claimed from then on until the next reset
    tied             {part: {what is any (`anyconst`, `anyseq`) there: a value that the assumptions allow}}, where a simulation would draw one that they
                     do not; the subject's own under the empty name
    focus            {what is any (`anyconst`) there: a value}: when a mutant is told from the whole (`--circuits`), that is looked at; what is known of one barrier is
                     then known of the one that is asked for. What is assumed has to hold whatever it is
    qualified        {output: the output without which it means nothing}: then it tells no mutant of the block (`--circuits`), as its
                     page says, or since it is the payload of a valid that is low
    unasked          {statement, or `<statement> in <part>`: why its traffic never asks for it}
    keeps            what of the files that are included (`// include <name>`, of <name>.svh) is asserted here, while another subject assumes it
    instead          {assumption of such a part: the property of this block that stands for it}, where it can be asserted of a case only that is any
    free             parts that may do whatever they like where something is proven, since no property depends on them; covers and bugs have the whole block
    bugs             {property: a replacement in the exported Verilog that has to refute it; within `guided` cycles of the restricted runs, if that stands there}
    open             {property: why it is not proven, only checked to `base`}
    quick            it belongs to the subset of scripts/test
"""

import copy
import json
import os
import re
import shutil

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "proofs")
STATEMENT = re.compile(r"(?P<name>\w+)\s*:\s*(?P<kind>assert|assume|cover)\b")
INCLUDE = re.compile(r"^  // include (\w+)\n", re.MULTILINE)
INSIDE = re.compile(r"^// inside (\w+)$", re.MULTILINE)
LARGER = re.compile(r"^(`ifdef SMALLEST\n(?:(?!`(?:else|endif|ifdef)).*\n)*)`else\n(?:(?!`(?:endif|ifdef)).*\n)*", re.MULTILINE)
CALCULATED = re.compile(r"`\{([^{}]*)\}")
MEMORY = re.compile(r"^  reg +\[(\d+):0\] memory \[0:(\d+)\];", re.MULTILINE)


class Failure(Exception):
    """Bad input or a missing tool: a message and a hint, exit code 2."""

    def __init__(self, message, hint):
        super().__init__(message)
        self.hint = hint


class Statement:
    """An assertion, assumption or cover with its claim."""

    def __init__(self, name, kind, claim):
        self.name = name
        self.kind = kind
        self.claim = claim

    @property
    def helper(self):
        """An invariant that exists for the induction only."""
        return self.name.startswith("helper_")


def statements(text):
    """The statements of a properties file, each with the last comment before it."""
    found, comment, commenting = [], [], False
    for line in map(str.strip, text.splitlines()):
        if line.startswith("//"):
            comment = (comment if commenting else []) + [line[2:].strip()]
        commenting = line.startswith("//")
        if not commenting:
            found += [Statement(match["name"], match["kind"], " ".join(comment)) for match in STATEMENT.finditer(line)]
    return found


def sections(text):
    """{part: its text}, the top's under the empty name."""
    pieces = INSIDE.split(text)
    return {"": pieces[0], **dict(zip(pieces[1::2], pieces[2::2]))}


def calculated(text, values):
    """Text with the numbers that its expressions have at a point of these parameters; one that the point has not is 0."""

    class Known(dict):
        def __missing__(self, name):
            return 0

    known = Known(values, log2=lambda number: max(1, (number - 1).bit_length()), range=lambda bits: f" [{bits - 1}:0]" if bits > 1 else "")
    return CALCULATED.sub(lambda found: str(eval(found[1], {"__builtins__": {}}, known)), text)


def at_smallest(text):
    """Properties without what they say of larger points (the `else` of `ifdef SMALLEST`), which may state the same in other words, or need helpers of its own."""
    return LARGER.sub(r"\1", text)


class Subject:
    """A properties file and what its .json says."""

    def __init__(self, name, folder=FOLDER):
        self.name = name
        with open(os.path.join(folder, name + ".json"), encoding="utf-8") as file:
            self.settings = json.load(file)
        with open(os.path.join(folder, name + ".sv"), encoding="utf-8") as file:
            text = file.read()
        keeps = self.settings.get("keeps", [])
        self.text = INCLUDE.sub(lambda match: included(folder, match[1], match[1] in keeps), text)
        self.export = self.settings["export"]
        self.part = self.settings.get("part", "")
        self.point = self.settings["point"]
        self.depth = self.settings["depth"]
        self.base = self.settings.get("base", self.depth)
        self.reach = self.settings.get("reach", self.depth)
        self.induction = self.settings.get("induction", 2)
        self.split = self.settings.get("split", False)
        self.guided = self.settings.get("guided", {})
        self.larger = self.settings.get("larger", {})
        self.bugs = self.settings.get("bugs", {})
        self.open = self.settings.get("open", {})
        self.instead = self.settings.get("instead", {})
        self.free = self.settings.get("free", [])
        self.quick = self.settings.get("quick", False)
        self.embedded = {part: Subject(owner(part, folder), folder) for part in self.settings.get("with", {})}
        self.statements = statements(at_smallest(self.text))
        self.moved_from_proof = False
        self.check()

    def check(self):
        """Every property has its bug, and nothing is named that is not there."""
        names = [statement.name for statement in self.statements]
        asserted = {statement.name for statement in self.statements if statement.kind == "assert"}
        problems = [f"'{name}' occurs twice" for name in sorted(set(names)) if names.count(name) > 1]
        problems += [f"'{s.name}' has no claim: a comment before it" for s in self.statements if not s.claim]
        problems += [f"'{s.name}' has no bug that refutes it" for s in self.properties() if s.name not in self.bugs]
        problems += [f"there is no property '{name}'" for name in [*self.bugs, *self.open] if name not in asserted]
        covers = {cover.name for cover in self.covers()}
        beyond = [name for settings in self.larger.values() for name in [*settings.get("beyond", []), *settings.get("guided", {})]]
        problems += [f"there is no cover '{name}'" for name in [*self.guided, *beyond] if name not in covers]
        assumed = {s.name for part in self.embedded.values() for s in part.statements if s.kind == "assume"}
        problems += [f"no part assumes '{name}'" for name in self.instead if name not in assumed]
        problems += [f"there is no property '{name}'" for name in self.instead.values() if name not in asserted]
        inner = [f"{s.name} in {part}" for part, embedded in self.embedded.items() for s in embedded.statements]
        problems += [f"nothing is named '{name}'" for name in self.settings.get("unasked", {}) if name not in names + inner]
        problems += [f"there is no part '{part}'" for part in self.settings.get("tied", {}) if part not in ["", *self.embedded]]
        own = {s.name for s in self.statements if s.kind == "assume"}
        kept = [name for place in self.places() for name in place.get("only", [])]
        problems += [f"there is no assumption '{name}'" for name in [*self.settings.get("unkept", {}), *kept] if name not in own]
        problems += [f"nothing is any that is named '{name}'" for name in self.settings.get("focus", {}) if not re.search(rf"anyconst \*\) reg [^;]*\b{name}\b", self.text)]
        if problems:
            raise Failure(f"scripts/proofs/{self.name}: {problems[0]}", "the head of scripts/prover/subject.py says what belongs there")

    def properties(self):
        """The assertions that are claims of their own."""
        return [s for s in self.statements if s.kind == "assert" and not s.helper]

    def covers(self):
        """The states that have to be reached."""
        return [s for s in self.statements if s.kind == "cover"]

    def carried(self, name):
        """Whether a statement, by its name in the flat design, counts here: its own, and of parts what `with` says."""
        if "." not in name:
            return True
        inner = name.rpartition(".")[2]
        contracts = {s.name for part in self.embedded.values() for s in part.statements if s.kind == "assume"}
        return inner in contracts - set(self.instead) or any(inner in helpers for helpers in self.settings["with"].values())

    def places(self):
        """Where it is simulated: {export, point, part, with} each."""
        settings = self.settings.get("simulated", {})
        proven = {"export": self.export, "point": self.point, "part": self.part, "with": {}}
        return [{**proven, **place} for place in (settings if isinstance(settings, list) else [settings])]

    def moved(self, place, exports):
        """The subject where it is simulated, where parts have other names; `exports` tell whether the text is the very one of which it is proven."""
        other = copy.copy(self)
        other.move(place)
        texts = [hierarchy(exports, f"{subject.export}_{subject.point}", subject.module(subject.point)) for subject in (self, other)]
        other.moved_from_proof = "only" in place or texts[0] is None or texts[0] != texts[1]
        return other

    def move(self, place):
        """Looks at one of its places."""
        self.text = self.text.replace(f"{self.export}_{self.point}_", f"{place['export']}_{place['point']}_")
        self.export, self.point, self.part = place["export"], place["point"], place["part"]
        self.embedded = {place["with"].get(inner, inner): copy.copy(embedded) for inner, embedded in self.embedded.items()}
        if "only" in place:
            self.text = unclaimed(self.text, place["only"])
            for embedded in self.embedded.values():
                embedded.text = unclaimed(embedded.text, [])

    def settled(self, kind, name):
        """Whether a statement of the flat design holds in all traffic of where it is simulated: it is assumed, which traffic is checked to keep, or proven, of
        this very text."""
        return kind == "assume" or kind == "assert" and not self.moved_from_proof and name not in self.open and self.carried(name)

    def module(self, point):
        """The exported module that the properties are put into."""
        return "_".join(filter(None, [self.export, point, self.larger.get(point, {}).get("part", self.part)]))


def included(folder, name, kept):
    """The text of a contract between two blocks: assumed in the one, asserted in the other, which keeps it."""
    path = os.path.join(folder, name + ".svh")
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except OSError:
        raise Failure(f"there is no {path}", "a line `// include <name>` puts the file <name>.svh in its place") from None
    return asserted(text) if kept else text


def owner(part, folder):
    """The subject whose file a part has: its own, or that of all parts of its kind."""
    known = subjects(folder)
    return next((name for name in sorted(known, key=len, reverse=True) if part == name or part.startswith(name + "_")), part)


def subjects(folder=FOLDER):
    """The names of all subjects."""
    return sorted(name[:-5] for name in os.listdir(folder) if name.endswith(".json"))


def asserted(text):
    """Properties as those who have to keep them see them: what is assumed is asserted, too."""
    return STATEMENT.sub(lambda m: f"{m['name']}: {m['kind'].replace('assume', 'assert')}", text)


def unclaimed(text, kept):
    """Properties of which nothing is claimed, but for some assumptions: the others are like helpers of a proof that nobody asks for. Covers stay."""
    return STATEMENT.sub(lambda m: m[0] if m["name"] in kept or m["kind"] == "cover" or m["name"].startswith("helper_") else f"helper_unclaimed_{m['name']}: assert", text)


class Sources:
    """The exported files of a subject at a point, in memory: what is put into them, and what is broken on purpose."""

    def __init__(self, subject, exports, point, covers=False):
        self.subject = subject
        self.point = point
        self.smallest = point == subject.point
        # Memories stay arrays, of which properties see a glance.
        registers = subject.larger.get(point, {}).get("registers")
        self.arrays = not self.smallest and (not registers or registers == "covers" and not covers)
        self.root = f"{subject.export}_{point}"
        folder = os.path.join(exports, self.root)
        if not os.path.isdir(folder):
            raise Failure(f"there is no export {self.root}", "`cargo export list` names the blocks and their points")
        self.top = subject.module(point)
        self.values = {name.upper(): value for name, value in parameters(exports, self.root).items()}
        self.defines = [f"{name}={value}" for name, value in self.values.items()]
        self.files = {}
        for name in sorted(os.listdir(folder)):
            if name.endswith(".v"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    self.files[name[:-2]] = file.read()
        if self.top not in self.files:
            raise Failure(f"there is no module {self.top}", f"the export has: {', '.join(self.files)}")

    def plant(self, bug):
        """Makes the replacement of a bug, which has to fit exactly once."""
        name = "_".join(filter(None, [self.root, bug.get("file", self.subject.part)]))
        text = self.files.get(name, "")
        if text.count(bug["pattern"]) != 1:
            raise Failure(
                f"{self.subject.name}: '{bug['pattern']}' occurs {text.count(bug['pattern'])} times in {name}.v", "it has to occur once: the bug has to be planted anew"
            )
        self.files[name] = text.replace(bug["pattern"], bug["replacement"])

    def release(self):
        """Leaves of the parts that are `free` their ports: their outputs say anything in any cycle. What holds then holds for the parts as they are."""
        for part in self.subject.larger.get(self.point, {}).get("free", self.subject.free):
            module = f"{self.root}_{part}"
            if module not in self.files:
                raise Failure(f"{self.subject.name}: there is no module {module}", f"the export has: {', '.join(self.files)}")
            ports = self.files[module].partition("\n);\n")[0].replace("  output reg ", "  output wire")
            outputs = re.findall(r"^  output wire +(\[[^]]*\] +)?(\w+)", ports, re.MULTILINE)
            lines = [f"  (* anyseq *) reg {width}any_{name};\n  assign {name} = any_{name};" for width, name in outputs]
            self.files[module] = "\n".join([ports, ");", *lines, "endmodule", ""])

    def bind(self):
        """Puts the properties in."""

        def said(text):
            return calculated(at_smallest(text) if self.smallest else text, self.values)

        for part, text in sections(said(self.subject.text)).items():
            self.insert(part and f"{self.root}_{part}" or self.top, text)
        for part, embedded in self.subject.embedded.items():
            for inner, text in sections(said(embedded.text)).items():
                if not inner:
                    module = f"{self.root}_{part}"
                    self.insert(module, asserted(text) + environment(self.files.get(module, ""), self.smallest))
        self.insert(self.top, environment(self.files[self.top], self.smallest))
        for name, text in self.files.items():
            memory = MEMORY.search(text)
            if memory:
                size = int(memory[1]) + 1, int(memory[2]) + 1
                self.insert(name, ("" if self.arrays else words(*size)) + ("" if self.smallest else glance(*size)))

    def tell(self):
        """Adds the wires of `--circuits`: whether what is any is what `focus` says, and what `qualified` says of outputs. The first can always be, as what is too wide
        is cut off."""
        focus, qualified = (self.subject.settings.get(key, {}) for key in ("focus", "qualified"))
        outputs = set(re.findall(r"^  output (?:wire|reg) +(?:\[[^]]*\] +)?(\w+)", self.files[self.top], re.MULTILINE))
        if wrong := {*qualified, *qualified.values()} - outputs:
            raise Failure(f"{self.subject.name}: {self.top} has no output '{sorted(wrong)[0]}'", "`qualified` says of outputs which others they need")
        lines = [f"wire [$bits({anything})-1:0] focus_of_{anything} = {value};" for anything, value in focus.items()]
        same = [f"{anything} == focus_of_{anything}" for anything in focus] or ["1'b1"]
        lines.append(f"(* keep *) wire heddle_focus = {' && '.join(same)};")
        lines += [f"(* keep *) wire heddle_qualifies_{port} = {value};" for port, value in qualified.items()]
        self.insert(self.top, "".join(f"  {line}\n" for line in lines))

    def insert(self, module, text):
        """Text before the `endmodule` of a module."""
        if module not in self.files:
            raise Failure(f"{self.subject.name}: there is no module {module}", f"the export has: {', '.join(self.files)}")
        head, _, tail = self.files[module].rpartition("endmodule")
        self.files[module] = f"{head}\n{text}\nendmodule{tail}"

    def write(self, folder):
        """All files into a fresh folder; returns their names."""
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        for name, text in self.files.items():
            with open(os.path.join(folder, name + ".sv"), "w", encoding="utf-8") as file:
                file.write(text)
        return [name + ".sv" for name in self.files]


def manifest(exports):
    """What is exported, as the manifest lists it."""
    path = os.path.join(exports, "manifest.json")
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)["exports"]
    except OSError:
        raise Failure(f"there is no {path}", "`cargo export` writes it beside what it exports") from None


def parameters(exports, module):
    """The parameters of an exported point."""
    found = [entry["parameters"] for entry in manifest(exports) if entry["module"] == module]
    if not found:
        raise Failure(f"the manifest in {exports} does not tell the parameters of {module}", "export that point again")
    return found[0]


def hierarchy(exports, root, top):
    """{part: its code} of a module and all that it is made of, whatever export they are a part of; None if it is not there."""
    modules, open_ones = {}, [top]
    while open_ones:
        module = open_ones.pop()
        path = os.path.join(exports, root, module + ".v")
        if module in modules:
            continue
        if not os.path.isfile(path):
            return None
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"\s*//.*|\s+(?=\n)", "", file.read())
        modules[module] = text
        open_ones += re.findall(rf"^  ({root}_\w+) \w+ \($", text, re.MULTILINE)

    def shortened(name):
        return "top" if name == top else "part" + name.removeprefix(root)

    return {shortened(module): re.sub(rf"\b{root}\w*", lambda found: shortened(found[0]), text) for module, text in modules.items()}


def same_at(subject, exports):
    """The points of an export at which a part is, letter by letter, what it is at the smallest."""

    def code(point):
        path = os.path.join(exports, f"{subject.export}_{point}", subject.module(point) + ".v")
        # A part of another size has another name.
        if not os.path.isfile(path):
            return None
        with open(path, encoding="utf-8") as file:
            text = file.read()
        return text[text.index("\nmodule "):].replace(f"{subject.export}_{point}", subject.export)

    others = [entry["point"] for entry in manifest(exports) if entry["block"] == subject.export and entry["point"] != subject.point]
    return [point for point in others if code(point) == code(subject.point)]


def words(width, entries):
    """All entries of a memory side by side, for properties: `(* hierconn *) wire [...] \\part.words ;` shows them further up."""
    return f"""
  wire [{width * entries - 1}:0] words;
  genvar entry_of_words;
  generate
    for (entry_of_words = 0; entry_of_words < {entries}; entry_of_words = entry_of_words + 1)
      assign words[entry_of_words*{width}+:{width}] = memory[entry_of_words];
  endgenerate
"""


def glance(width, entries):
    """Eight entries of a memory that is large, from `look` on, which properties drive from further up: all of them would be too many for a solver."""
    bits = max(1, (entries - 1).bit_length())
    lines = [f"  wire [{bits - 1}:0] look;", f"  wire [{8 * width - 1}:0] looked_at;"]
    for place in range(8):
        lines.append(f"  wire [{bits - 1}:0] look_{place} = look + {place};")
        lines.append(f"  assign looked_at[{place * width}+:{width}] = memory[look_{place}];")
    return "\n".join(lines) + "\n"


def environment(text, smallest):
    """What every file of properties may use: `started`, the block has been reset; `checking`, and it is not being reset now. At a larger point it is reset
    once: what its counters do after that, as those that clear a memory, is then known to the solver, and it comes further."""
    ports = set(re.findall(r"^  input  wire +(?:\[[^]]*\] +)?(\w+)", text, re.MULTILINE))
    if "clock" not in ports:
        return "  wire checking = 1'b1;\n  wire started = 1'b1;\n"
    lines = "  reg started = 1'b0;\n  always @(posedge clock) started <= 1'b1;\n"
    if "reset" not in ports:
        return lines + "  wire checking = started;\n"
    lines += f"  environment_resets: assume property (started {'|| reset' if smallest else '!= reset'});\n"
    return lines + "  wire checking = started && !reset;\n"
