"""An export that is measured, and what was measured of it, kept until it changes."""

import hashlib
import json
import os
import re
import shutil
import time

from synthesizer import tools
from synthesizer.tools import BUILD, OutOfTime

# Blocks that hold token windows (DQ-41), and what a window entry is wide: 64 bits, 128 in the wide format (DQ-02).
WINDOW_BLOCKS = ("token_deque", "divergence_unit")


def window_bits(block, point):
    """Bits of the token windows of a block, and their depth; None for a block that has none."""
    sizes = re.fullmatch(r"(\d+)x(\d+)x(\d+)", point)
    if block not in WINDOW_BLOCKS or not sizes:
        return None
    warps, threads, depth = map(int, sizes.groups())
    return warps * depth * (64 if threads <= 32 else 128), depth


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

    def mapped_bits(self, control):
        """What `LARGEST_MAPPED` is held against."""
        return (window_bits(self.block, self.point) or (0, 0))[0] or self.table_bits() or control["memory_bits"]


class Settings:
    """What to measure of an export, how long each measurement may take, what is known of its placements, {seed: MHz}, and how many of them run at a time."""

    def __init__(self, parts, limit, seeds, library, again=False, placed=None, placements=1):
        self.parts = parts
        self.limit = limit
        self.seeds = seeds
        self.library = library
        self.again = again
        self.placed = placed or {}
        self.placements = placements


def part(export, settings, name, commands, function):
    """A measurement, or what an earlier run found of the same Verilog by the same commands of the same tools: a dictionary, {"over": seconds} if it
    did not end."""
    key = hashlib.sha256((export.digest() + commands + json.dumps(tools.pinned())).encode()).hexdigest()
    os.makedirs(export.work, exist_ok=True)
    path = os.path.join(export.work, name + ".measured")
    if os.path.isfile(path) and not settings.again:
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
        if kept["key"] == key and kept["result"].get("over", settings.limit) >= settings.limit:
            return kept["result"]
    # What this one is made of, a netlist say, is overwritten from here on: if it is interrupted, the older one counts no more.
    if os.path.isfile(path):
        os.remove(path)
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
