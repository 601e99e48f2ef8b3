"""The engines: yosys makes a model of a design with its properties, yices and abc judge it."""

import os
import re
import signal
import subprocess
import threading
import time

from prover import aiger
from prover.subject import Failure

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOLS = os.path.abspath(os.environ.get("HEDDLE_TOOLS") or os.path.expanduser("~/.cache/heddle/tools"))
BIN = os.path.join(TOOLS, "venv", "bin")

# Flattening joins the signals that properties declare with the attribute `hierconn` with those of the parts. Memories become registers where they are small,
# as abc knows nothing else, and stay arrays where they are large.
PREPARE = "hierarchy -check -top {top}; proc; {memories}; opt_clean; check -assert; async2sync; chformal -lower"
REGISTERS = "memory_collect; memory_map -formal; flatten"
ARRAYS = "flatten; opt_clean; memory_collect"
SMT = "delete */t:$print; formalff -setundef -clk2ff -ff2anyinit; opt -fast; dffunmap; write_smt2 -wires {out}"
AIGER = (
    "delete */t:$print; delete */t:$cover; formalff -setundef -clk2ff -ff2anyinit; setundef -undriven -anyseq; setattr -unset keep; delete -output; "
    "opt -full; techmap; setundef -anyseq; opt -fast; simplemap; dffunmap; aigmap; opt_clean; write_aiger -I -B -L -zinit -no-startoffset {out}"
)

# What is assumed and proven as constraints of a circuit with the block's own ports, in words; wires of this name are more outputs.
CONSTRAINED = (
    "expose w:heddle_*; delete */t:$print; delete */t:$cover; chformal -assert2assume; formalff -setundef -clk2ff -ff2anyinit; setundef -undriven -zero; setattr -unset keep; "
    "opt -full; techmap; setundef -zero; opt -fast; simplemap; dffunmap; aigmap; opt_clean; write_aiger -ascii -symbols -zinit -no-startoffset {out}"
)


# Processes that run, so that the end of one ends all.
RUNNING = set()
STOPPED = threading.Event()


def stop():
    """Ends what runs, and whatever would follow: a process and its solver are a group."""
    STOPPED.set()
    for process in list(RUNNING):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


class Result:
    """What an engine said: proven, refuted, passed (to a depth), reached, or open (out of time); how far, what failed, seconds."""

    def __init__(self, verdict, steps=None, names=(), seconds=0.0):
        self.verdict = verdict
        self.steps = steps
        self.names = list(names)
        self.seconds = round(seconds, 1)


def run(command, folder, log, limit):
    """Runs a tool, its output into a file; returns (exit code or None when out of time, output, seconds)."""
    if STOPPED.is_set():
        raise KeyboardInterrupt
    started = time.time()
    path = os.path.join(folder, log)
    environment = {**os.environ, "PATH": BIN + os.pathsep + os.environ.get("PATH", "")}
    with open(path, "w", encoding="utf-8") as output:
        process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment, start_new_session=True
        )
        RUNNING.add(process)
        try:
            code = process.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            RUNNING.discard(process)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    with open(path, encoding="utf-8", errors="replace") as output:
        return code, output.read(), time.time() - started


def yosys(folder, log, commands):
    """Runs Yosys; a failure is ours, not the design's."""
    code, output, _ = run([os.path.join(BIN, "yosys"), "-p", commands], folder, log, None)
    if code != 0:
        raise Failure(f"yosys failed in {folder}:\n" + "".join(output.splitlines(True)[-4:]), f"the whole log is {os.path.join(folder, log)}")


def prepare(folder, files, top, defines=(), arrays=False):
    """The design with its properties as model.il; its memories become registers or stay arrays."""
    read = "read_verilog -formal -sv " + " ".join(f"-D {name}" for name in defines) + " " + " ".join(files)
    yosys(folder, "prepare.log", f"{read}; {PREPARE.format(top=top, memories=ARRAYS if arrays else REGISTERS)}; write_rtlil model.il")


PORT = re.compile(r"^  wire( width \d+)? input \d+ (\\\S+)\n", re.MULTILINE)
ANY = re.compile(r"^(?:  attribute .*\n)*  cell \$any(const|seq) \S+\n    parameter \\WIDTH (\d+)\n    connect \\Y (.+)\n  end\n", re.MULTILINE)
INITIAL = re.compile(r"^  attribute \\init (\S+)\n(?:  attribute .*\n)*  wire (?:.* )?(\S+)\n", re.MULTILINE)
WIRE = re.compile(r"^((?:  attribute .*\n)*)(  wire (?:.* )?(\S+)\n)", re.MULTILINE)
CELL = re.compile(r"^  cell \$mem_v2 (\S+)\n(?:    .*\n)*?    parameter \\INIT (\S+)\n", re.MULTILINE)


def rest(folder, cycles, still=()):
    """Moves the beginning of model.il to the state that it has after its reset and so many cycles in which all inputs are low: simulations tell it, so that the solver need
    not unroll the sweep of a memory. What no cycle has written is any, as before, and so is what follows from inputs that stand `still` at whatever they are; what would
    depend on a constant that is any is an error."""
    path = os.path.join(folder, "model.il")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    inputs = {name: int((width or " 1").split()[-1]) for width, name in PORT.findall(text) if name[1:] not in {"clock", "reset", *still}}
    idle = PORT.sub(lambda found: f"  wire{found[1] or ''} {found[2]}\n" if found[2] in inputs else found[0], text)
    inside, end, behind = idle.rpartition("end\n")
    inside += "".join(f"  connect {name} {width}'{'0' * width}\n" for name, width in inputs.items())
    states = []
    for number, bits in enumerate(("0", "1", "01", "0110100110010110")):

        def constant(found):
            width = int(found[2])
            value = "0" * width if found[1] == "seq" else (bits * width)[:width]
            return f"  connect {found[3]} {width}'{value}\n"

        with open(os.path.join(folder, "idle.il"), "w", encoding="utf-8") as file:
            file.write(ANY.sub(constant, inside) + end + behind)
        yosys(folder, f"rest_{number}.log", f"read_rtlil idle.il; sim -clock clock -reset reset -rstlen 1 -n {cycles + 1} -w; write_rtlil rested.il")
        with open(os.path.join(folder, "rested.il"), encoding="utf-8") as file:
            rested = file.read()
        states.append({name: value for value, name in INITIAL.findall(rested)} | dict(CELL.findall(rested)))
    state = states[0]
    if other := sorted(name for each in states for name in state.keys() | each.keys() if each.get(name) != state.get(name)):
        raise Failure(f"{other[0]} depends after {cycles} idle cycles on what is any in {folder}", "choose `idle` such that it does not, or give it a reset")

    def begun(found):
        attributes = re.sub(r"  attribute \\init .*\n", "", found[1])
        return (f"  attribute \\init {state[found[3]]}\n" if found[3] in state else "") + attributes + found[2]

    text = WIRE.sub(begun, text)
    text = CELL.sub(lambda found: found[0].replace(f"\\INIT {found[2]}\n", f"\\INIT {state[found[1]]}\n"), text)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def statements(folder):
    """(kind, name) of all statements of model.il, as they are called after flattening."""
    with open(os.path.join(folder, "model.il"), encoding="utf-8") as file:
        return re.findall(r"^  cell \$(assert|cover|assume) \\(\S+)", file.read(), re.MULTILINE)


def without(folder, names):
    """Yosys commands that read model.il and drop statements."""
    return "read_rtlil model.il; " + "".join(f"delete */{name}; " for name in names)


def smt(folder, out, dropped):
    """Writes an SMT-LIB model."""
    yosys(folder, out + ".log", without(folder, dropped) + SMT.format(out=out))


def smtbmc(folder, model, options, log, limit):
    """Runs yosys-smtbmc with yices; returns (exit code, output, seconds)."""
    command = [os.path.join(BIN, "yosys-smtbmc"), "-s", "yices", *options, model]
    code, output, seconds = run(command, folder, log, limit)
    if code not in (0, 1, None) or (code == 1 and "Status: FAILED" not in output):
        raise Failure(f"yosys-smtbmc failed in {folder}:\n" + "".join(output.splitlines(True)[-4:]), f"the whole log is {os.path.join(folder, log)}")
    return code, output, seconds


def failed_names(output):
    """The assertions that yosys-smtbmc says have failed."""
    return sorted(set(re.findall(r"Assert failed in \S+: (\S+)", output)))


def bounded(folder, model, depth, log, limit):
    """Bounded check of all assertions of a model."""
    code, output, seconds = smtbmc(folder, model, ["-t", str(depth)], log, limit)
    steps = [int(step) for step in re.findall(r"Checking assertions in step (\d+)", output)]
    if code == 0:
        return Result("passed", depth, (), seconds)
    if code is None:
        return Result("open", max(steps, default=0), (), seconds)
    return Result("refuted", steps[-1], failed_names(output), seconds)


def induction(folder, model, longest, log, limit):
    """Induction step of all assertions together, the shortest that works."""
    code, output, seconds = smtbmc(folder, model, ["-i", "-t", str(longest)], log, limit)
    steps = [int(step) for step in re.findall(r"Trying induction in step (\d+)", output)]
    length = longest - min(steps, default=longest)
    if code == 0:
        return Result("proven", length, (), seconds)
    return Result("open", length, failed_names(output), seconds)


# What yices gets, in seconds, for an assertion that may follow from the state before alone, and `pdr` for an output before Kissat is asked; most take less than one.
ALONE = 10


def split_induction(folder, model, length, log, limit, order):
    """Induction step of all assertions together, of this length, but asked one by one, each of a yices of its own: whether it can fail where all held in
    the states before; if that is not decided soon, or it can, whether it may be the first to fail, in the order given, of others behind it as the model has them."""
    with open(os.path.join(folder, model), encoding="utf-8") as file:
        text = file.read()
    top = re.search(r"^; yosys-smt2-topmod (\S+)$", text, re.MULTILINE)[1]
    ranks = {name: rank for rank, name in enumerate(order)}
    asserted = re.findall(r"^; yosys-smt2-assert (\d+) (\S+)", text, re.MULTILINE)
    asserted.sort(key=lambda item: ranks.get(item[1], len(ranks)))
    lines = ["(set-logic QF_AUFBV)", text, *(f"(declare-fun s{step} () |{top}_s|)" for step in range(length + 1))]
    for step in range(length + 1):
        lines += [f"(assert (|{top}_u| s{step}))", f"(assert (|{top}_h| s{step}))", f"(assert (not (|{top}_is| s{step})))"]
        if step < length:
            lines += [f"(assert (|{top}_t| s{step} s{step + 1}))", f"(assert (|{top}_a| s{step}))"]

    def ask(name, known, claim, seconds):
        questions = f"{log}.{name}.smt2"
        with open(os.path.join(folder, questions), "w", encoding="utf-8") as file:
            file.write("\n".join([*lines, *(f"(assert {holds})" for holds in known), f"(assert (not {claim}))", "(check-sat)"]) + "\n")
        _, output, seconds = run([os.path.join(BIN, "yices-smt2"), questions], folder, f"{log}.{name}", seconds)
        if "(error" in output:
            raise Failure(f"yices failed in {folder}: {output.strip()[:200]}", f"the question is in {os.path.join(folder, questions)}")
        answer = re.search(r"^(sat|unsat)$", output, re.MULTILINE)
        return answer and answer[1], seconds

    known, left, total = [], [], 0.0
    for number, name in asserted:
        claim = f"(|{top}_a {number}| s{length})"
        answer, seconds = ask(name, [], claim, min(ALONE, max(1, limit - total)))
        total += seconds
        if answer != "unsat":
            answer, seconds = ask(name, known, claim, max(1, limit - total))
            total += seconds
        known.append(claim)
        if answer != "unsat":
            left.append(name)
        if total > limit:
            break
    proven = not left and len(known) == len(asserted)
    return Result("proven" if proven else "open", length, left, total)


def covers(folder, model, depth, log, limit):
    """The covers that are reached within `depth` cycles, with the step of each."""
    _, output, seconds = smtbmc(folder, model, ["-c", "-t", str(depth)], log, limit)
    reached = {name: int(step) for step, name in re.findall(r"Reached cover statement in step (\d+) at \S+: (\S+)", output)}
    return reached, round(seconds, 1)


# What is done to the model as it is before `pdr`: nothing but rewriting, or signals that are always equal merged, which helps where counters run in step.
PREPARATIONS = ("fold; orpos; strash; dc2", "fold; orpos; strash; scorr; dc2")


def graph(folder, out, dropped):
    """Writes a model for abc."""
    yosys(folder, out + ".log", without(folder, dropped) + AIGER.format(out=out))


def constrained(folder, out, dropped):
    """Writes a circuit whose constraints are the statements that are left."""
    yosys(folder, "constrained.log", without(folder, dropped) + CONSTRAINED.format(out=out))


def rises(folder, out, dropped, step, limit):
    """Whether the model that looks ahead of the only assertion left fails within as many cycles as that takes: one earlier, as it looks ahead."""
    graph(folder, out, dropped)
    looking = aiger.LookingAhead(os.path.join(folder, out))
    for number in (0, None):
        looking.write(os.path.join(folder, "ahead_" + out), number)
        output, _ = abc(folder, f"read_aiger ahead_{out}; strash; dc2; bmc3 -F {max(1, step)} -T {limit}", out + ".bounded.log", limit)
        if re.search(r"was asserted in frame \d+", output):
            return True
    return False


def second(folder, out, dropped, limit, refuted=None):
    """abc's verdict on all assertions: one after the other in the model that looks ahead, which is decided at once where they are
    inductive together; then together in the plain one, by `pdr`. What the first engine has refuted by a step is first asked of runs of that length."""
    graph(folder, out, dropped)
    total, frames = 0.0, []
    if refuted is not None:
        output, total = abc(folder, f"read_aiger {out}; fold; orpos; strash; bmc3 -F {refuted + 1} -T {limit}", "refuted.log", limit)
        if asserted := ASSERTED.search(output):
            return Result("refuted", int(asserted[1]), (), total)
    share = max(1, int(limit - total) // (1 + len(PREPARATIONS)))
    result = ahead(folder, out, share)
    total += result.seconds
    if result.verdict != "open":
        return Result(result.verdict, result.steps, result.names, total)
    for number, preparation in enumerate(PREPARATIONS):
        read = f"read_aiger {out}; {preparation}"
        output, seconds = abc(folder, f"{read}; pdr -g -T {share}", f"pdr_{number}.log", limit)
        total += seconds
        if "All outputs solved" in output:
            # The preparation has left a constant, of which `pdr` says nothing: it has to be the right one.
            output, seconds = abc(folder, f"{read}; orpos; comb; strash; iprove", f"constant_{number}.log", limit)
            total += seconds
        if "Property proved" in output or re.search(r"\bUNSATISFIABLE", output):
            return Result("proven", None, (), total)
        if asserted := ASSERTED.search(output):
            return Result("refuted", int(asserted[1]), (), total)
        frames += [int(frame) for frame in re.findall(r"^\s*(\d+) :", output, re.MULTILINE)]
    return Result("open", max(frames, default=0), (), total)


ASSERTED = re.compile(r"Output \d+ of miter .* was asserted in frame (\d+)")


def ahead(folder, out, limit):
    """The model that looks ahead, asked of the first cycle and of each assertion by itself; of those that were proven it is known from then on that they hold. What is
    not decided soon is asked again when more is known, with more time. `pdr` goes first, then Kissat, whether the output can rise in any state at all. The
    names of the result are the assertions that Kissat has decided."""
    looking = aiger.LookingAhead(os.path.join(folder, out))
    total, known, by_kissat = 0.0, [], []
    left, soon, question = [None, *range(len(looking.asserted_next))], ALONE, f"ahead_{out}"
    while left and total < limit:
        still = []
        for number in left:
            looking.write(os.path.join(folder, question), number, known)
            for engine, commands in (("pdr", f"strash; dc2; pdr -a -T {soon}"), ("kissat", "strash; comb; cone -O 0; strash; &get; &kissat")):
                output, seconds = abc(folder, f"read_aiger {question}; {commands}", f"ahead_{number}_{engine}.log", soon, 60 if engine == "pdr" else 0)
                total += seconds
                if asserted := ASSERTED.search(output):
                    return Result("refuted", int(asserted[1]), (), total)
                if "All = 1. Proved = 1." in output or "Result: Unsatisfiable." in output:
                    known += [] if number is None else [number]
                    by_kissat += [str(number)] if engine == "kissat" else []
                    break
            else:
                still.append(number)
        # Without more knowledge it takes more time.
        soon = min(4 * soon, max(1, int(limit - total))) if len(still) == len(left) else soon
        left = still
    return Result("open" if left else "proven", 0 if left else None, () if left else by_kissat, total)


def abc(folder, script, log, limit, grace=60):
    """Runs abc; returns (output, seconds). It keeps its limit by itself, but not while it reads and rewrites, for which it gets some grace."""
    _, output, seconds = run([os.path.join(BIN, "yosys-abc"), "-c", script], folder, log, limit + grace)
    return output, seconds
