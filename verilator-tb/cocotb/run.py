#!/usr/bin/env python3
"""Runs the cocotb tests of this folder on an export, under Icarus.

    verilator-tb/cocotb/run.py EXPORT      EXPORT is the folder that `cargo export --out` wrote

Exit codes: 0 passed, 1 a test failed, 2 no such export, or cocotb is missing (scripts/setup integrate installs it).
"""

import os
import pathlib
import sys

TOP = "token_deque_4x32x32"
HERE = pathlib.Path(__file__).resolve().parent


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    folder = pathlib.Path(sys.argv[1]) / TOP
    files, manifest = folder / f"{TOP}.f", folder.parent / "manifest.json"
    if not files.is_file():
        print(f"cocotb: {files} does not exist\n  hint: cargo export --block token_deque --out {sys.argv[1]}", file=sys.stderr)
        return 2
    try:
        from cocotb_tools.runner import get_results, get_runner
    except ImportError:
        # Where scripts/setup put it.
        tools = os.environ.get("HEDDLE_TOOLS") or os.path.expanduser("~/.cache/heddle/tools")
        python = os.path.join(tools, "venv", "bin", "python")
        if os.path.exists(os.path.join(tools, "venv", "bin", "cocotb-config")) and sys.prefix != os.path.join(tools, "venv"):
            os.execv(python, [python] + sys.argv)
        print("cocotb: the Python package cocotb is missing\n  hint: scripts/setup integrate", file=sys.stderr)
        return 2
    build = HERE.parent.parent / "build" / "cocotb"
    runner = get_runner("icarus")
    sources = [folder / line for line in files.read_text().split()]
    runner.build(sources=sources, hdl_toplevel=TOP, build_dir=build, build_args=["-g2005", "-Wall"], timescale=("1ns", "1ps"))
    results = runner.test(hdl_toplevel=TOP, test_module="test_token_deque", test_dir=HERE, build_dir=build, results_xml=str(build / "results.xml"),
                          extra_env={"MANIFEST": str(manifest.resolve())})
    count, failed = get_results(results)
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
