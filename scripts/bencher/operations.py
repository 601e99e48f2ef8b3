"""Cycles of an operation that is offered in every cycle, on the exported Verilog under Icarus, at every point of a block.

`operations.json` says which: the inputs after reset (`inputs`, and what a `handshakes` pair of valid and ready has to say), cycles to `settle`,
vectors to `prepare` (so many `prepare_times`, `i` counting them), a `pause`, and those to `repeat`. Numbers may be expressions over `i` and the
point's parameters. `count` is how many are counted. `bound` is the best that one could hope for: one cycle, or as many as there are tokens to look at.
"""

import json
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
# Operations that are counted, after some that are not; an operation may say otherwise, by `count`.
COUNTED = 240

BENCH = """`timescale 1ns / 1ns
module bench;
  reg clock = 0, reset = 1;
  always #1 clock = !clock;
  reg [{bits}:0] vectors [0:{last}];
  integer index = 0, cycle = 0, first = 0;
  wire [{bits}:0] vector = vectors[index];
{wires}
  {top} block({connections});
  wire taken = {taken};
  initial begin
    $readmemh("vectors.hex", vectors);
    repeat (4) @(posedge clock);
    #0 reset = 0;
  end
  always @(posedge clock) if (!reset) begin
    cycle <= cycle + 1;
    if (taken) begin
      if (index == {begin}) first <= cycle;
      index <= index + 1;
      if (index == {end}) begin
        $display("cycles %0d", cycle - first);
        $finish;
      end
    end
    if (cycle == 1000000) begin
      $display("stuck at vector %0d", index);
      $finish;
    end
  end
endmodule
"""


def value(expression, names):
    """A number, or what an expression over the point's parameters says."""
    return int(eval(str(expression), {"__builtins__": {}}, names))  # The file is part of the repository.


def vectors(operation, parameters, inputs):
    """The words that the bench applies, and the places of the first and last counted one."""
    def word(vector, i):
        names = {**parameters, "i": i}
        filled = {**operation["inputs"], **vector}
        total, offset = 0, 0
        for name, width in inputs:
            total |= (value(filled.get(name, 0), names) & (1 << width) - 1) << offset
            offset += width
        return total

    found = [word({}, 0)] * value(operation["settle"], parameters)
    for i in range(value(operation.get("prepare_times", 0), parameters)):
        found += [word(vector, i) for vector in operation["prepare"]]
    found += [word({}, 0)] * operation.get("pause", 8)
    repeat = operation["repeat"]
    count = value(operation.get("count", COUNTED), parameters)
    begin = len(found) + count
    found += [word(repeat[i % len(repeat)], i if len(repeat) == 1 else i // len(repeat)) for i in range(2 * count + 1)]
    return found, begin, begin + count


def measure(entry, folder, operation, work):
    """Cycles an operation at one point."""
    inputs = [(port["name"], port["width"]) for port in entry["ports"] if port["direction"] in ("in", "input") and port["name"] not in ("clock", "reset")]
    ready = set(operation["handshakes"].values())
    words, begin, end = vectors(operation, entry["parameters"], inputs)
    offset, places, connections = 0, {}, [".clock(clock)", ".reset(reset)"]
    for name, width in inputs:
        places[name] = offset
        connections.append(f".{name}(vector[{offset + width - 1}:{offset}])")
        offset += width
    connections += [f".{name}({name})" for name in sorted(ready)]
    taken = " && ".join(f"(!vector[{places[valid]}] || {ready_port})" for valid, ready_port in operation["handshakes"].items()) or "1'b1"
    os.makedirs(work, exist_ok=True)
    with open(os.path.join(work, "vectors.hex"), "w", encoding="utf-8") as file:
        file.write("\n".join(f"{word:x}" for word in words) + "\n")
    with open(os.path.join(work, "bench.v"), "w", encoding="utf-8") as file:
        file.write(BENCH.format(
            bits=offset - 1, last=len(words) - 1, wires="\n".join(f"  wire {name};" for name in sorted(ready)), top=entry["module"],
            connections=", ".join(connections), taken=taken, begin=begin, end=end,
        ))
    sources = [os.path.join(folder, entry["module"], name) for name in sorted(os.listdir(os.path.join(folder, entry["module"]))) if name.endswith(".v")]
    subprocess.run(["iverilog", "-g2005", "-o", "bench.vvp", "bench.v", *sources], cwd=work, check=True)
    said = subprocess.run(["vvp", "bench.vvp"], cwd=work, check=True, capture_output=True, text=True).stdout
    if "cycles" not in said:
        raise RuntimeError(f"{entry['module']}, {operation['name']}: {said.strip()}")
    return int(said.split("cycles")[1]) / (end - begin)


def rows(folder, work):
    """Every operation at every point of its block."""
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
        exports = json.load(file)["exports"]
    with open(os.path.join(HERE, "operations.json"), encoding="utf-8") as file:
        operations = json.load(file)
    for operation in operations:
        entries = [entry for entry in exports if entry["block"] == operation["block"]]
        for entry in sorted(entries, key=lambda entry: [entry["parameters"].get(name, 0) for name in ("warps", "ctas", "groups", "engines", "threads", "depth")]):
            cycles = measure(entry, folder, operation, os.path.join(work, entry["module"]))
            bound = value(operation["bound"], entry["parameters"])
            yield {"block": operation["block"], "operation": operation["name"], "point": entry["point"], "cycles": round(cycles, 3), "bound": bound}


def table(found):
    """Cycles an operation, and in brackets the bound where it is not one cycle; a row an operation."""
    lines = ["| block | operation | point: cycles an operation |", "| --- | --- | --- |"]
    for key in dict.fromkeys((row["block"], row["operation"]) for row in found):
        mine = [row for row in found if (row["block"], row["operation"]) == key]
        cells = [f"{row['point']}: {row['cycles']:.2f}" + (f" ({row['bound']})" if row["bound"] != 1 else "") for row in mine]
        lines.append(f"| `{key[0]}` | {key[1]} | {', '.join(cells)} |")
    return lines


def plot(found):
    """Operations a cycle, points side by side, as SVG: the dashed line is the limit of one a cycle, a grey mark the bound."""
    keys = list(dict.fromkeys((row["block"], row["operation"]) for row in found))
    height, left, unit = 62, 360, 66
    widest = max(sum((row["block"], row["operation"]) == key for row in found) for key in keys)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + unit * widest + 20} {height * len(keys) + 30}" font-family="sans-serif" font-size="11">']
    parts.append('<title>Operations a cycle of each block at each of its points</title><rect width="100%" height="100%" fill="white"/>')
    for place, key in enumerate(keys):
        low = height * place + 48
        parts.append(f'<text x="8" y="{low - 22}" font-weight="bold">{key[0]}</text><text x="8" y="{low - 8}">{key[1]}</text>')
        top = low - 34
        end = left + unit * widest
        parts.append(f'<line x1="{left}" y1="{top}" x2="{end}" y2="{top}" stroke="#888" stroke-dasharray="3 3"/>')
        parts.append(f'<line x1="{left}" y1="{low}" x2="{end}" y2="{low}" stroke="#888"/>')
        for number, row in enumerate(row for row in found if (row["block"], row["operation"]) == key):
            x, rate, bound = left + unit * number + 8, 34 / row["cycles"], 34 / row["bound"]
            parts.append(f'<rect x="{x}" y="{low - rate:.1f}" width="{unit - 22}" height="{rate:.1f}" fill="#3b6ea5"/>')
            parts.append(f'<line x1="{x - 4}" y1="{low - bound:.1f}" x2="{x + unit - 18}" y2="{low - bound:.1f}" stroke="#b35a00" stroke-width="2"/>')
            parts.append(f'<text x="{x}" y="{low + 11}" font-size="9">{row["point"]}</text>')
    return "\n".join(parts + ["</svg>", ""])
