"""The command `slang` over the library in the pyslang wheel: its options are slang's own.

Exit code 0 if the design compiles without an error (warnings are errors with -Werror), else 1.
"""

import shlex
import sys

from pyslang import VersionInfo
from pyslang.driver import Driver


def main():
    if "--version" in sys.argv[1:]:
        print(f"slang version {VersionInfo.getMajor()}.{VersionInfo.getMinor()}.{VersionInfo.getPatch()}")
        return 0
    driver = Driver()
    driver.addStandardArgs()
    steps = [
        lambda: driver.parseCommandLine(shlex.join(["slang", *sys.argv[1:]])),
        driver.processOptions,
        driver.parseAllSources,
        driver.runFullCompilation,
    ]
    return 0 if all(step() for step in steps) else 1


sys.exit(main())
