"""A netlist beside the Verilog that it was made of, both opened at their registers: two circuits without state, of which every output has to be the same.

A register of the netlist is that of the Verilog with one of its names. What a pair holds becomes one input of both circuits, what it would hold next an
output of each. So if all outputs are equal, registers that hold the same go on to do so, and the ports say the same in every cycle. What synthesis does to
registers is supposed here and compared like the rest:

- Several that it has merged are one input. So is one without a name that is going to hold, for random inputs, the same as one that has a name.
- One that the netlist has a constant for holds this constant.
- One that only one side has left is an input of that side alone: it may hold anything.

Merged and constant ones hold what is supposed from the first clock or reset on.

A state machine has another code in the netlist, which Yosys wrote down. Both circuits get its state in the code of the Verilog, where what
is no code counts as the first one; and they have to agree on the netlist's code of the next state, which has to be a code.
"""

import functools
import json
import random

# Ports of the opened circuits; no block has any of these names.
HELD, NEXT = "registers_held", "registers_next"
REGISTERS = {"$dff": "CLK", "$_DFF_P_": "C"}
# Random cases in which a register without a name is told from others.
CASES = 256
ALL = (1 << CASES) - 1


class Opened:
    """A flat module as `write_json` has it, on the way to a circuit without registers."""

    def __init__(self, path, name):
        with open(path, encoding="utf-8") as file:
            self.module = json.load(file)["modules"][name]
        cells, wires = self.module["cells"], self.module["netnames"]
        bits = [bit for net in wires.values() for bit in net["bits"]]
        bits += [bit for cell in cells.values() for connected in cell["connections"].values() for bit in connected]
        self.following = 1 + max((bit for bit in bits if isinstance(bit, int)), default=1)
        self.held, self.next = [], []
        # What a register is going to hold, by the bit that it holds.
        self.registers = {}
        for key in [key for key, cell in cells.items() if cell["type"] in REGISTERS]:
            cell = cells.pop(key)
            if cell["connections"][REGISTERS[cell["type"]]] != self.module["ports"]["clock"]["bits"]:
                raise ValueError(f"{key} has another clock")
            if int(str(cell["parameters"].get("CLK_POLARITY", "1")), 2) != 1:
                raise ValueError(f"{key} takes its value at the falling edge")
            self.registers.update(zip(cell["connections"]["Q"], cell["connections"]["D"]))
        for key in [key for key, cell in cells.items() if cell["type"] == "$scopeinfo"]:
            del cells[key]
        state = sorted({cell["type"] for cell in cells.values() if any(word in cell["type"].lower() for word in ("ff", "latch", "mem"))})
        if state:
            raise ValueError(f"there is state in {', '.join(state)}")
        self.names = {}
        for wire, net in wires.items():
            for place, bit in enumerate(net["bits"]):
                if bit in self.registers and not net["hide_name"]:
                    self.names.setdefault(bit, []).append((wire, place))

    def bits_of(self, wire):
        """The bits of a wire, the lowest first; none if there is no such wire."""
        return self.module["netnames"].get(wire, {"bits": []})["bits"]

    def new_bit(self):
        """A bit that nothing has yet."""
        self.following += 1
        return self.following - 1

    def input(self):
        """A new input: what a register may hold."""
        self.held.append(self.new_bit())
        return self.held[-1]

    def constant_of(self, names):
        """The constant that this side has for a register of these names; None if it has none."""
        found = {self.bits_of(wire)[place] for wire, place in names if place < len(self.bits_of(wire))}
        return (found & {"0", "1"} or {None}).pop()

    def cell(self, kind, parameters, inputs, output=None):
        """A cell with one bit of output, which is returned."""
        bit = self.new_bit() if output is None else output
        self.module["cells"][f"opened_{bit}"] = {
            "hide_name": 0, "type": kind, "attributes": {}, "parameters": parameters,
            "port_directions": {**dict.fromkeys(inputs, "input"), "Y": "output"}, "connections": {**{port: list(bits) for port, bits in inputs.items()}, "Y": [bit]},
        }
        return bit

    def any(self, bits):
        """Whether one of the bits is set."""
        return self.cell("$reduce_or", {"A_SIGNED": 0, "A_WIDTH": len(bits), "Y_WIDTH": 1}, {"A": bits}) if bits else "0"

    def equal(self, bits, code):
        """Whether bits, the lowest first, are a code, which is written with the highest first."""
        widths = {"A_SIGNED": 0, "B_SIGNED": 0, "A_WIDTH": len(bits), "B_WIDTH": len(bits), "Y_WIDTH": 1}
        return self.cell("$eq", widths, {"A": bits, "B": code[::-1]})

    def hold(self, bit, source):
        """A register is no longer one and holds what `source` says; what it would have held next is returned."""
        self.cell("$_BUF_", {}, {"A": [source]}, bit)
        return self.registers.pop(bit)

    def write(self, path):
        """The circuit, for `read_json`."""
        ports = self.module["ports"]
        ports[HELD] = {"direction": "input", "bits": self.held}
        ports[NEXT] = {"direction": "output", "bits": self.next}
        wires = {name: {"hide_name": 0, "bits": port["bits"], "attributes": {}} for name, port in ports.items()}
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"modules": {"opened": {**self.module, "attributes": {}, "netnames": wires}}}, file)


def machines(path):
    """{wire: [(code in the Verilog, code in the netlist)]} of what `fsm_recode -encfile` wrote; codes have their highest bit first."""
    found = {}
    with open(path, encoding="utf-8") as file:
        for words in filter(None, map(str.split, file)):
            if words[0] == ".fsm":
                found[words[2]] = []
            else:
                list(found.values())[-1].append((words[1], words[2]))
    return found


def open_machine(gold, gate, wire, codes):
    """Opens a state machine of both."""
    states = []
    for side in (gold, gate):
        bits = [side.input() for _ in gold.bits_of(wire)]
        state = [side.equal(bits, code) for code, _ in codes]
        none = side.cell("$logic_not", {"A_SIGNED": 0, "A_WIDTH": len(state), "Y_WIDTH": 1}, {"A": state})
        states.append([side.any([state[0], none])] + state[1:])

    def bit_of(side, state, place, code_of):
        return side.any([one for one, code in zip(state, codes) if code_of(code)[-1 - place] == "1"])

    following = [gold.hold(bit, bit_of(gold, states[0], place, lambda code: code[0])) for place, bit in enumerate(gold.bits_of(wire))]
    next_state = [gold.equal(following, code) for code, _ in codes]
    gold.next.append(gold.any(next_state))
    gate.next.append("1")
    for place, bit in enumerate(gate.bits_of(wire)):
        # Of a state that nothing asks for, the bit has no register.
        if bit in gate.registers:
            gate.next.append(gate.hold(bit, bit_of(gate, states[1], place, lambda code: code[1])))
            gold.next.append(bit_of(gold, next_state, place, lambda code: code[1]))


def groups(gold, gate):
    """Registers that go by the same names, as ([bits of the Verilog], [bits of the netlist])."""
    leaders = {}

    def leader(one):
        while leaders.setdefault(one, one) != one:
            one = leaders[one]
        return one

    found = {}
    sides = [(place, bit, side.names.get(bit, ())) for place, side in enumerate((gold, gate)) for bit in side.registers]
    for place, bit, names in sides:
        for name in names:
            leaders[leader(name)] = leader((place, bit))
    for place, bit, _ in sides:
        found.setdefault(leader((place, bit)), ([], []))[place].append(bit)
    return list(found.values())


def patterns_of(cell, values):
    """What a cell of a netlist says to the patterns of its inputs, each an integer with a bit for each of CASES."""
    at = {port: [values(bit) for bit in bits] for port, bits in cell["connections"].items() if cell["port_directions"][port] == "input"}
    kind, first = cell["type"], at["A"][0]
    if kind == "$lut":
        table = [ALL * int(one) for one in reversed(cell["parameters"]["LUT"])]
        for chosen in reversed(at["A"]):
            half = len(table) // 2
            table = [low & ~chosen | high & chosen for low, high in zip(table[:half], table[half:])]
        return table[0]
    if kind == "$_MUX_":
        return first & ~at["S"][0] | at["B"][0] & at["S"][0]
    if kind in ("$_BUF_", "$_NOT_"):
        return first if kind == "$_BUF_" else ALL & ~first
    # These stand around an opened state machine.
    if kind in ("$reduce_or", "$logic_not"):
        any_set = functools.reduce(int.__or__, at["A"])
        return any_set if kind == "$reduce_or" else ALL & ~any_set
    if kind == "$eq":
        return functools.reduce(int.__and__, (ALL & ~(one ^ other) for one, other in zip(at["A"], at["B"])))
    two = {"$_AND_": int.__and__, "$_OR_": int.__or__, "$_XOR_": int.__xor__}
    if kind not in two:
        raise ValueError(f"a cell {kind} is not of a netlist of tables")
    return two[kind](first, at["B"][0])


def futures(side, held):
    """{register: what it is going to hold} of a netlist for random cases; `held` is the leader of each register, and those of one leader hold the same."""
    chance = random.Random(1)
    drivers = {bit: cell for cell in side.module["cells"].values() for port, way in cell["port_directions"].items() if way == "output" for bit in cell["connections"][port]}
    known = {"0": 0, "1": ALL, "x": 0}

    def settle(wanted):
        waiting = [wanted]
        while waiting:
            bit = waiting[-1]
            if bit in known:
                waiting.pop()
            elif bit not in drivers:
                leader = held.get(bit, bit)
                known[bit] = known.setdefault(("held", leader), chance.getrandbits(CASES))
            else:
                cell = drivers[bit]
                missing = [one for port, bits in cell["connections"].items() if cell["port_directions"][port] == "input" for one in bits if one not in known]
                if not missing:
                    known[bit] = patterns_of(cell, known.__getitem__)
                waiting += missing
        return known[wanted]

    return {bit: settle(following) for bit, following in side.registers.items()}


def with_nameless(pairs, gate):
    """The groups, and with them the registers of the netlist that have no name and seem to be one that has."""
    nameless = [of_gate for of_gold, of_gate in pairs if not of_gold]
    if not nameless:
        return pairs
    named = [pair for pair in pairs if pair[0]]
    seen = futures(gate, {bit: of_gate[0] for _, of_gate in pairs for bit in of_gate})
    like = {seen[of_gate[0]]: of_gate for _, of_gate in named if of_gate}
    left = []
    for bits in nameless:
        if seen[bits[0]] in like:
            like[seen[bits[0]]] += bits
        else:
            left.append(([], bits))
    return named + left


def opened(gold_path, gate_path, states_path):
    """Both circuits, how many bits of them are compared, and how many registers only the Verilog has, and only the netlist."""
    gold, gate = Opened(gold_path, "gold"), Opened(gate_path, "gate")
    for wire, codes in machines(states_path).items():
        open_machine(gold, gate, wire, codes)
    alone = [0, 0]
    for of_gold, of_gate in with_nameless(groups(gold, gate), gate):
        constant = gate.constant_of(gold.names.get(of_gold[0], ())) if of_gold and not of_gate else None
        if constant:
            gold.next += [gold.hold(bit, constant) for bit in of_gold]
            gate.next += [constant for _ in of_gold]
            continue
        sources = gold.input(), gate.input()
        following = [gold.hold(bit, sources[0]) for bit in of_gold], [gate.hold(bit, sources[1]) for bit in of_gate]
        if of_gold and of_gate:
            pairs = [(one, following[1][0]) for one in following[0]] + [(following[0][0], one) for one in following[1][1:]]
            gold.next += [one for one, _ in pairs]
            gate.next += [one for _, one in pairs]
        alone[0] += 0 if of_gate else len(of_gold)
        alone[1] += 0 if of_gold else len(of_gate)
    outputs = sum(len(port["bits"]) for port in gold.module["ports"].values() if port["direction"] == "output")
    return gold, gate, outputs + len(gold.next), alone
