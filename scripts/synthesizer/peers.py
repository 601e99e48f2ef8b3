"""Bounds, and the open designs that ours are held against."""

from synthesizer.export import WINDOW_BLOCKS, window_bits
from synthesizer.table import numbers

SHALLOWEST_RAM_WINDOW = 32
DPR16X4_BITS = 16 * 4
DP16KD_BITS = 18 * 1024

# BR-44: state of the barrier system that lies in RAM; less of it may be flip-flops.
SMALLEST_STATE = 1024

# The peer of DQ-42: Vortex 3.0, split/join with its mask logic, 4 warps, 32 threads, 16 deep, the same flow.
PEER_POINT = "4x32x16"
PEER = {"lut": 334, "ff": 83, "levels": 8}
PEER_FACTOR = 2.0
PEER_JUDGED = "token_deque"

# The peer of WD-11: Vortex 3.0, the walker of thread blocks with clusters, without a table, the same flow.
WALKER = {"lut": 585, "ff": 535}
WALKER_FACTOR = 1.5
WALKER_JUDGED = ("work_distributor", "1x1")

# The peer of the plain subset: Vortex 3.0, barrier unit, 8 ids a slot, 32 events, by warps: tables of the control logic, then tables and
# flip-flops with its memories mapped. Nothing is judged by it.
BARRIER_PEER = {"4x8x4": (4, 123, 330, 459), "8x8x8": (8, 250, 967, 1232), "16x8x16": (16, 443, 2419, 3609)}
BARRIER_PLAIN = "plain_barrier"


def measured(part):
    """Whether a part of a row was measured, and ended in its time."""
    return bool(part) and "over" not in part


def over(part):
    """Whether it did not end in its time."""
    return bool(part) and "over" in part


def beside(export):
    """Whether an export stands beside a peer in a table."""
    return export.block in WINDOW_BLOCKS and export.point == PEER_POINT or export.block == BARRIER_PLAIN


def arrived_bits(ctas, barriers, blocks, threads):
    """Who has arrived, of each barrier."""
    return ctas * barriers * blocks * threads


def asleep_bits(ctas, barriers, blocks, threads):
    """Of each thread whether it sleeps, and at which barrier."""
    return ctas * blocks * threads * barriers.bit_length()


# What these blocks have to keep at least.
KEPT = {"arrival_tracker": (arrived_bits,), "thread_state": (asleep_bits,), "barrier_execution": (asleep_bits,), "barrier_scheduler": (arrived_bits, asleep_bits)}


def state_bits(block, point):
    """The requirement by which a block keeps state in RAM at a point, and how many bits at least; None if there is none."""
    window = window_bits(block, point)
    if window and window[1] >= SHALLOWEST_RAM_WINDOW:
        return "DQ-41", window[0]
    bits = sum(of(*numbers(point)[:4]) for of in KEPT.get(block, ()))
    return ("BR-44", bits) if bits >= SMALLEST_STATE else None


def state_check(block, point, ecp5):
    """Whether the RAM cells can hold that state, and the flip-flops could not; None where nothing is asked, or measured."""
    asked = state_bits(block, point)
    if not asked or not measured(ecp5):
        return None
    requirement, bits = asked
    ram = ecp5["dpr16x4"] * DPR16X4_BITS + ecp5["dp16kd"] * DP16KD_BITS
    sentence = f"{requirement} {block}_{point}: {bits} bits of state, {ram} bits of RAM cells, {ecp5['ff']} flip-flops"
    return {"requirement": requirement, "bits": bits, "ram_bits": ram, "met": ram >= bits and ecp5["ff"] < bits, "sentence": sentence}


def states_outside_ram(rows):
    """Of {(block, point): cells of the ECP5}, as the tables tell them, what is not kept in RAM as it has to be, a sentence each."""
    for (block, point), (logic, dpr16x4, dp16kd) in sorted(rows.items()):
        if " / " in logic:
            flip_flops = int(logic.split(" / ")[1].replace(",", ""))
            state = state_check(block, point, {"dpr16x4": int(dpr16x4), "dp16kd": int(dp16kd), "ff": flip_flops})
            if state and not state["met"]:
                yield f"docs/synthesis.md: NOT MET: {state['sentence']}"


def peer_lines(rows):
    """DQ-42: ours beside the peer's, with the ratios."""
    ours = [row for row in rows if row["point"] == PEER_POINT and row["block"] in WINDOW_BLOCKS and measured(row["control_plain"])]
    if not ours:
        return []
    lines = ["| control logic at 4 warps, 32 threads, 16 deep | LUT | FF | levels |", "| --- | ---: | ---: | ---: |"]
    lines.append(f"| Vortex 3.0, split/join with its mask logic | {PEER['lut']} | {PEER['ff']} | {PEER['levels']} |")
    for row in ours:
        for part, remark in ((row["control"], ""), (row["control_plain"], ", each clock enable mapped by itself")):
            ratio = {key: f"{part[key]} ({part[key] / PEER[key]:.2f}x)" for key in ("lut", "ff")}
            lines.append(f"| `{row['block']}`{remark} | {ratio['lut']} | {ratio['ff']} | {part['levels']} |")
    return lines


def barrier_peer_lines(rows):
    """The plain subset beside the peer's unit, each of its sizes; none unless all of them were measured."""
    ours = {row["point"]: row for row in rows if row["block"] == BARRIER_PLAIN and row["point"] in BARRIER_PEER and measured(row["all"])}
    if len(ours) < len(BARRIER_PEER):
        return []
    lines = ["| warps | | control LUT | levels | with memories mapped: LUT | FF |", "| ---: | --- | ---: | ---: | ---: | ---: |"]
    for point, (warps, lut, all_lut, all_ff) in BARRIER_PEER.items():
        row = ours[point]

        def ratio(value, peer):
            return f"{value:,} ({value / peer:.2f}x)"

        mapped = f"{ratio(row['all']['lut'], all_lut)} | {ratio(row['all']['ff'], all_ff)}"
        plain = row["control_plain"]
        lines.append(f"| {warps} | Vortex 3.0, barrier unit | {lut} | | {all_lut:,} | {all_ff:,} |")
        lines.append(f"| | `{BARRIER_PLAIN}` | {ratio(row['control']['lut'], lut)} | {row['control']['levels']} | {mapped} |")
        lines.append(f"| | `{BARRIER_PLAIN}`, each clock enable mapped by itself | {ratio(plain['lut'], lut)} | {plain['levels']} | | |")
    return lines


def verdicts(rows):
    """What was checked of rows, as (row, met, sentence)."""
    for row in rows:
        name = f"{row['block']}_{row['point']}"
        if row["state"]:
            yield name, row["state"]["met"], row["state"]["sentence"]
        # What is asked of it was not found out.
        if (asked := state_bits(row["block"], row["point"])) and over(row["ecp5"]):
            yield name, False, f"{asked[0]} {name}: its cells were not counted in time"
        if (row["block"], row["point"]) in ((PEER_JUDGED, PEER_POINT), WALKER_JUDGED) and over(row["control"]):
            yield name, False, f"{'WD-11' if row['block'] == WALKER_JUDGED[0] else 'DQ-42'} {name}: it was not measured in time"
        if not measured(row["control"]):
            continue
        if row["control"]["latches"]:
            yield name, False, f"{name}: {row['control']['latches']} latches"
        if row["block"] == PEER_JUDGED and row["point"] == PEER_POINT:
            part = row["control"]
            within = all(part[key] <= PEER_FACTOR * PEER[key] for key in ("lut", "ff")) and part["levels"] <= PEER["levels"]
            yield name, within, (
                f"DQ-42 {name}: {part['lut']} LUT, {part['ff']} FF, {part['levels']} levels; the bounds are "
                f"{PEER_FACTOR * PEER['lut']:.0f}, {PEER_FACTOR * PEER['ff']:.0f}, {PEER['levels']}"
            )
        if (row["block"], row["point"]) == WALKER_JUDGED:
            part = row["control"]
            within = all(part[key] <= WALKER_FACTOR * WALKER[key] for key in WALKER)
            yield name, within, (
                f"WD-11 {name}: {part['lut']} LUT, {part['ff']} FF; the bounds are "
                f"{int(WALKER_FACTOR * WALKER['lut'])}, {int(WALKER_FACTOR * WALKER['ff'])}"
            )
