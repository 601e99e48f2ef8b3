"""The token queue of docs/integrate, driven from Python: the handshakes of its page, then random pushes and pops against a list.

Run by `run.py` beside this file; `cargo tb lockstep token_deque` is the regression, thousands of times faster.
"""

import json
import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

POP, PUSH_FRONT, PUSH_BACK, YIELD = 0, 1, 2, 3
SYNC, BREAK, YIELDED = 1, 4, 8  # kinds of tokens; the queue minds the last one only
SWEEP = 16  # cycles a warp for which the tables are cleared after reset
WARPS, DEPTH = 4, 32


class TokenDeque:
    """The ports of a `token_deque`, as transactions."""

    def __init__(self, dut):
        self.dut = dut
        with open(os.environ["MANIFEST"], encoding="utf-8") as file:
            (export,) = [export for export in json.load(file)["exports"] if export["module"] == dut._name]
        for port in export["ports"]:
            if port["direction"] == "in" and port["name"] != "clock":
                getattr(dut, port["name"]).value = 0

    async def reset(self):
        """Two cycles of reset; returns the cycles until the block is ready."""
        cocotb.start_soon(Clock(self.dut.clock, 10, unit="ns").start())
        self.dut.reset.value = 1
        for _ in range(2):
            await FallingEdge(self.dut.clock)
        self.dut.reset.value = 0
        cycles = 0
        while True:
            await ReadOnly()
            if self.dut.push_ready.value:
                break
            await FallingEdge(self.dut.clock)
            cycles += 1
        await FallingEdge(self.dut.clock)
        return cycles

    async def _handshake(self, group, **payload):
        """Offers a request until it is accepted; returns the cycles that it took, the accepted one included."""
        for name, value in payload.items():
            getattr(self.dut, f"{group}_{name}").value = value
        valid, ready = getattr(self.dut, f"{group}_valid"), getattr(self.dut, f"{group}_ready")
        valid.value = 1
        cycles = 0
        while True:
            cycles += 1
            await ReadOnly()
            accepted = bool(ready.value)
            await FallingEdge(self.dut.clock)
            if accepted:
                valid.value = 0
                return cycles

    async def push(self, warp, kind, mask, address):
        """A push at the front."""
        return await self._handshake("push", warp=warp, kind=kind, mask=mask, address=address)

    async def operate(self, code, warp, mask=0, address=0):
        """Any other operation; returns its cycles and its answer."""
        cycles = await self._handshake("operation", code=code, warp=warp, kind=YIELDED, mask=mask, address=address)
        # The answer stands one cycle after the operation was accepted: now.
        dut = self.dut
        assert dut.response_valid.value, "an operation was not answered"
        token = None
        if dut.response_found.value:
            token = tuple(int(port.value) for port in (dut.response_kind, dut.response_mask, dut.response_address))
        return cycles, token, bool(dut.response_merged.value)


@cocotb.test()
async def xv_05_handshakes_of_the_page(dut):
    """DQ-05, DQ-06, DQ-07: what docs/integrate/README.md shows, with the same cycles."""
    queue = TokenDeque(dut)
    assert await queue.reset() <= WARPS * SWEEP
    assert await queue.push(1, SYNC, 0xFF, 0x100) == 1
    assert await queue.push(1, BREAK, 0xFF, 0x200) == 1
    assert await queue.operate(YIELD, 1, 0x0F, 0x80) == (1, (BREAK, 0xFF, 0x200), False)
    cycles, _, merged = await queue.operate(PUSH_BACK, 1, 0x30, 0x80)
    assert merged and cycles == 3, "the search looks at the tokens from the back"
    assert await queue.operate(POP, 1) == (1, (SYNC, 0xFF, 0x100), False)
    assert await queue.operate(POP, 1) == (1, (YIELDED, 0x3F, 0x80), False)
    assert await queue.operate(POP, 1) == (1, None, False)


@cocotb.test()
async def xv_02_pushes_and_pops_against_a_list(dut):
    """DQ-01 to DQ-05: random front pushes and pops of all warps give what a list gives; the seed is printed and taken from SEED."""
    seed = int(os.environ.get("SEED", "1"))
    dut._log.info("seed %d", seed)
    choose = random.Random(seed)
    queue = TokenDeque(dut)
    await queue.reset()
    lists = [[] for _ in range(WARPS)]
    for _ in range(2000):
        warp = choose.randrange(WARPS)
        if len(lists[warp]) < DEPTH // 2 and choose.random() < 0.55:
            token = (choose.choice([SYNC, BREAK]), choose.getrandbits(32), choose.getrandbits(22))
            await queue.push(warp, *token)
            lists[warp].append(token)
        else:
            _, token, _ = await queue.operate(POP, warp)
            assert token == (lists[warp].pop() if lists[warp] else None)
