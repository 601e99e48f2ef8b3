"""The command `yosys` over the library in the pyosys wheel: the options that Heddle's scripts use.

    yosys [-V] [-q] [-Q] [-T] [-l LOG] [-D NAME[=VALUE]] [-p COMMANDS]... [-s SCRIPT]... [FILE]...

Files are read first (by their extension), then scripts, then commands run in their order. An error of Yosys ends the
process with 1 after its message on standard error.
"""

import argparse
import os
import sys


def arguments():
    parser = argparse.ArgumentParser(prog="yosys", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-V", "--version", action="store_true", help="print the version")
    parser.add_argument("-q", "--quiet", action="store_true", help="print errors only")
    parser.add_argument("-Q", "--no-banner", action="store_true", help="no effect: there is no banner")
    parser.add_argument("-T", "--no-footer", action="store_true", help="no effect: there is no footer")
    parser.add_argument("-l", "--log", metavar="LOG", help="write the messages to a file instead")
    parser.add_argument("-D", "--define", action="append", default=[], metavar="NAME", help="a Verilog macro")
    parser.add_argument("-p", "--commands", action="append", default=[], help="run these commands")
    parser.add_argument("-s", "--script", action="append", default=[], help="run the commands of a file")
    parser.add_argument("files", nargs="*", metavar="FILE", help="a design to read")
    return parser.parse_args()


def main():
    options = arguments()
    if options.version:
        from importlib.metadata import version

        print("Yosys", version("pyosys"), "(pyosys)")
        return
    # The library writes to file descriptor 1, so the redirection is the descriptor's, not Python's.
    target = options.log or (os.devnull if options.quiet else None)
    if target:
        try:
            log = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        except OSError as error:
            sys.exit(f"yosys: cannot write {target}: {error.strerror}")
        os.dup2(log, 1)
    from pyosys import libyosys

    design = libyosys.Design()
    for define in options.define:
        libyosys.run_pass(f"verilog_defines -D{define}", design)
    for file in options.files:
        libyosys.run_frontend(file, "auto", design)
    for script in options.script:
        libyosys.run_pass(f"script {script}", design)
    for commands in options.commands:
        libyosys.run_pass(commands, design)


main()
