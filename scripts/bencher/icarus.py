"""A test bench for a block and its vectors, run by Icarus: cycles of each operation."""

import os
import subprocess
from fractions import Fraction

from bencher.description import Failure

# Cycles after which a vector is stuck: many times what the sweeps after a reset take.
PATIENCE = 5000

# A word is a vector: inputs, then what is waited for and what has to be seen, each behind a mask of the bits that matter, then four flags.
BENCH = """`timescale 1ns / 1ns
module bench;
  reg clock = 0;
  always #1 clock = !clock;
  reg [{bits}:0] words [0:{last}];
  integer index = 0, cycle = 0, waited = 0, cycles = 0;
  wire [{bits}:0] word = words[index];
  wire ends = word[{bits}], reset = word[{bits} - 1], measured = word[{bits} - 2], timed = word[{bits} - 3];
{declarations}
  {top} block({connections});
  wire [{width} - 1:0] seen = {{{seen}}};
  wire taken = {taken} && ((seen ^ word[{first} + {width} +: {width}]) & word[{first} +: {width}]) === 0;
  initial $readmemh("words.hex", words);
  always @(posedge clock) begin
    cycle <= cycle + 1;
    waited <= taken ? 0 : waited + 1;
    if (timed && measured) cycles <= cycles + 1;
    if (taken) begin
      index <= index + 1;
      if (measured && ((seen ^ word[{first} + 3 * {width} +: {width}]) & word[{first} + 2 * {width} +: {width}]) !== 0) begin
        $display("shows %0d %b", index, seen);
        $finish;
      end
      if (ends) begin
        $display("cycles %0d", cycles + (timed && measured));
        cycles <= 0;
      end
      if (index == {last}) $finish;
    end else if (waited == {patience}) begin
      $display("stuck %0d %b", index, seen);
      $finish;
    end
  end
endmodule
"""

# Who answers: requests of the last 1024 are remembered by the cycle in which their answer is due. `{ready}`: the block takes it.
ANSWERS = """
  reg [31:0] due_{number} [0:1023];
  integer asked_{number} = 0, told_{number} = 0;
  wire {answer}_valid = told_{number} != asked_{number} && due_{number}[told_{number} % 1024] <= cycle;
  always @(posedge clock)
    if (reset) begin
      asked_{number} <= 0;
      told_{number} <= 0;
    end else begin
      if ({request}_valid) begin
        due_{number}[asked_{number} % 1024] <= cycle + {after};
        asked_{number} <= asked_{number} + 1;
      end
      if ({answer}_valid && {ready}) told_{number} <= told_{number} + 1;
    end"""


def run(command, work):
    """The output of a tool."""
    try:
        done = subprocess.run(command, cwd=work, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise Failure(f"{command[0]} is missing", "scripts/setup installs it") from None
    if done.returncode != 0:
        raise Failure(f"{work}: {command[0]} failed: {(done.stderr or done.stdout).strip()[-600:]}", "is the export whole? `cargo export --out DIR` writes one")
    return done.stdout


def offsets(names, widths):
    """{name: its lowest bit}, side by side, and the bits of all."""
    found, offset = {}, 0
    for name in names:
        found[name], offset = offset, offset + widths[name]
    return found, offset


class Bench:
    """The bench of a subject: its text, and its words."""

    def __init__(self, subject):
        self.subject = subject
        used = {name for vector in subject.vectors for name in vector.inputs}
        looked_at = {name for vector in subject.vectors for name in (*vector.until, *vector.shows)} | set(subject.handshakes.values())
        self.inputs, self.first = offsets([name for name in subject.inputs if name in used], subject.widths)
        self.seen, self.width = offsets([name for name in subject.outputs if name in looked_at], subject.widths)

    def word(self, vector):
        """A vector as a number."""
        def at(values, places):
            return sum(number << places[name] for name, number in values.items())

        masks = [{name: (1 << self.subject.widths[name]) - 1 for name in values} for values in (vector.until, vector.shows)]
        checks = [at(values, self.seen) for values in (masks[0], vector.until, masks[1], vector.shows)]
        flags = vector.timed | vector.measured << 1 | vector.reset << 2 | vector.ends << 3
        return at(vector.inputs, self.inputs) | sum(part << self.first + self.width * place for place, part in enumerate([*checks, flags]))

    def text(self):
        """The bench in Verilog."""
        subject, widths = self.subject, self.subject.widths
        connections = [".clock(clock)", ".reset(reset)"]
        for name in subject.inputs:
            value = f"word[{self.inputs[name]} +: {widths[name]}]" if name in self.inputs else f"{widths[name]}'d0"
            connections.append(f".{name}({value})")
        outputs, declarations = dict.fromkeys(self.seen), []
        for number, (request, how) in enumerate(subject.answers.items()):
            ready = f"{how['answer']}_ready"
            outputs |= dict.fromkeys(name for name in (f"{request}_valid", ready) if name in subject.outputs)
            connections += [f".{request}_ready(1'b1)", f".{how['answer']}_valid({how['answer']}_valid)"]
            taken, after = ready if ready in subject.outputs else "1'b1", subject.number(how["after"])
            declarations.append(ANSWERS.format(number=number, request=request, answer=how["answer"], after=after, ready=taken))
        connections += [f".{name}({name})" for name in outputs]
        handshakes = [f"(!word[{self.inputs[valid]}] || {ready})" for valid, ready in subject.handshakes.items() if valid in self.inputs]
        return BENCH.format(
            bits=self.first + 4 * self.width + 3, last=len(subject.vectors) - 1, first=self.first, width=self.width, patience=PATIENCE,
            declarations="\n".join([f"  wire [{widths[name]} - 1:0] {name};" for name in outputs] + declarations), top=subject.export["module"],
            connections=", ".join(connections), seen=", ".join(reversed(self.seen)), taken=" && ".join(["1'b1", *handshakes]),
        )

    def complaint(self, verdict, index, bits):
        """What a block does not do, at a vector, with these values of the outputs that are seen."""
        subject, vector = self.subject, self.subject.vectors[index]
        seen = {name: bits[::-1][place : place + subject.widths[name]][::-1] for name, place in self.seen.items()}
        wanted = vector.shows
        if verdict == "stuck":
            wanted = {**vector.until, **{ready: 1 for valid, ready in subject.handshakes.items() if vector.inputs.get(valid)}}
        wanted = {name: f"{number:0{subject.widths[name]}b}" for name, number in wanted.items()}
        wrong = [f"{name} is {seen[name]}, not {number}" for name, number in wanted.items() if seen[name] != number]
        said = f"it is stuck for {PATIENCE} cycles: " if verdict == "stuck" else ""
        hint = "either the block has changed, or what scripts/bencher/operations.json says of it is wrong"
        return Failure(f"{subject.export['module']}, {vector.where}: {said}{', '.join(wrong)}", hint, 1)

    def measure(self, folder, work):
        """Cycles of each operation; files go to `work`."""
        subject = self.subject
        os.makedirs(work, exist_ok=True)
        with open(os.path.join(work, "words.hex"), "w", encoding="utf-8") as file:
            file.writelines(f"{self.word(vector):x}\n" for vector in subject.vectors)
        with open(os.path.join(work, "bench.v"), "w", encoding="utf-8") as file:
            file.write(self.text())
        sources = [os.path.join(folder, subject.export["module"], each["path"]) for each in subject.export["files"] if each["path"].endswith(".v")]
        run(["iverilog", "-g2005", "-o", "bench.vvp", "bench.v", *sources], work)
        cycles = []
        for line in run(["vvp", "-n", "bench.vvp"], work).splitlines():
            verdict, number, *bits = line.split()
            if verdict in ("stuck", "shows"):
                raise self.complaint(verdict, int(number), bits[0])
            if verdict == "cycles":
                cycles.append(int(number))
        if len(cycles) != len(subject.names):
            raise Failure(f"{work}: vvp measured {len(cycles)} of {len(subject.names)} operations", "run it there by hand: vvp bench.vvp")
        return [Fraction(each, number) for each, number in zip(cycles, subject.measured)]
