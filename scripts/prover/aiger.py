"""And-inverter graphs in the binary AIGER format: a model that looks one cycle ahead, for abc's `pdr`."""


class Graph:
    """An and-inverter graph that is written; a literal is twice a variable, plus one if it is inverted."""

    def __init__(self, inputs, latches):
        self.inputs = inputs
        self.latches = latches
        self.gates = []
        self.known = {}

    def conjunction(self, left, right):
        """The literal of `left` and `right`."""
        low, high = min(left, right), max(left, right)
        if low == 0 or low ^ 1 == high:
            return 0
        if low == 1 or low == high:
            return high
        if (low, high) not in self.known:
            self.gates.append((high, low))
            self.known[low, high] = 2 * (self.inputs + self.latches + len(self.gates))
        return self.known[low, high]

    def all(self, literals):
        """The literal that all of these hold."""
        result = 1
        for literal in literals:
            result = self.conjunction(result, literal)
        return result

    def write(self, path, following, outputs):
        """Writes the file: what follows in each latch, and the outputs. All latches start with 0."""
        gates = len(self.gates)
        total = self.inputs + self.latches + gates
        with open(path, "wb") as file:
            file.write(f"aig {total} {self.inputs} {self.latches} {len(outputs)} {gates}\n".encode())
            file.write("".join(f"{literal}\n" for literal in [*following, *outputs]).encode())
            for number, (high, low) in enumerate(self.gates):
                name = 2 * (self.inputs + self.latches + number + 1)
                file.write(packed(name - high) + packed(high - low))


def packed(number):
    """A number as the format has it, seven bits a byte."""
    result = bytearray()
    while number >= 128:
        result.append(number % 128 + 128)
        number //= 128
    return bytes(result) + bytes([number])


class Model:
    """What `write_aiger -zinit` of Yosys wrote: next states, assertions (inverted), assumptions, gates."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.text = file.read()
        self.place = 0
        fields = [int(field) for field in self.line().split()[1:]] + [0] * 4
        _, self.inputs, self.latches, outputs, gates, bad, assumed = fields[:7]
        self.following = [self.literal() for _ in range(self.latches)]
        for _ in range(outputs):
            self.literal()
        self.bad = [self.literal() for _ in range(bad)]
        self.assumed = [self.literal() for _ in range(assumed)]
        for _ in range(fields[7] + fields[8]):
            raise ValueError("liveness properties")
        self.gates = []
        for number in range(gates):
            high = 2 * (self.inputs + self.latches + number + 1) - self.delta()
            self.gates.append((high, high - self.delta()))

    def line(self):
        """The next line of text."""
        end = self.text.index(b"\n", self.place)
        line, self.place = self.text[self.place:end].decode(), end + 1
        return line

    def literal(self):
        """The next line, a literal; a latch that starts with anything but 0 has a second number."""
        first, *start = map(int, self.line().split())
        if any(start):
            raise ValueError("a latch that does not start with 0")
        return first

    def delta(self):
        """The next packed number."""
        result, shift = 0, 0
        while True:
            byte = self.text[self.place]
            self.place += 1
            result |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return result

    def put(self, graph, inputs, state):
        """One cycle of the model in a graph, from the literals of its inputs and state: (next state, each assertion, assumptions hold)."""
        literals = [0, *inputs, *state]

        def literal(old):
            return literals[old // 2] ^ (old % 2)

        for high, low in self.gates:
            literals.append(graph.conjunction(literal(high), literal(low)))
        return (
            [literal(old) for old in self.following],
            [literal(old) ^ 1 for old in self.bad],
            graph.all(literal(old) for old in self.assumed),
        )


class LookingAhead:
    """A model of which an output rises when an assertion of `source` fails for the first time.

    They fail either in the first cycle, or in the cycle after one in which they hold, as they did before: that cycle and the next are both
    there as gates, each with inputs of its own. An output rises in the former: one tells of the first cycle, and there is one for each assertion that fails in the next
    one. Nothing else is assumed, so an output can rise if and only if an assertion can fail; but
    that the assertions have held so far is known to the engine, which otherwise has to find it, clause by clause."""

    def __init__(self, source):
        model = Model(source)
        graph = Graph(2 * model.inputs, model.latches + 2)
        variables = [2 * number for number in range(1, graph.inputs + graph.latches + 1)]
        now, ahead, state = variables[: model.inputs], variables[model.inputs : graph.inputs], variables[graph.inputs :]
        *state, started, over = state
        following, asserted, assumed = model.put(graph, now, state)
        _, self.asserted_next, assumed_next = model.put(graph, ahead, following)
        holds = graph.all(asserted)
        looking = graph.conjunction(over ^ 1, assumed)
        goes_on = graph.conjunction(looking, holds)
        self.graph = graph
        self.following = [*following, 1, goes_on ^ 1]
        self.at_first = graph.all([looking, started ^ 1, holds ^ 1])
        self.goes_on = graph.conjunction(goes_on, assumed_next)

    def write(self, path, number=None, known=()):
        """Writes it with one output: of the first cycle, or of an assertion by its number, where others are known to hold in the cycle in which it fails."""
        output = self.at_first
        if number is not None:
            output = self.graph.all([self.goes_on, *(self.asserted_next[other] for other in known), self.asserted_next[number] ^ 1])
        self.graph.write(path, self.following, [output])
