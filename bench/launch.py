"""Runs a command from a small process: `launch.py USAGE MEMORY COMMAND…` writes what it used to the file USAGE.

The kernel counts what a process held before it became the command, so a child of a large process seems to need as
much memory as its parent. This one holds little. MEMORY limits the address space in bytes; 0 sets no limit.
"""

import os
import resource
import sys
import time


def main():
    usage, memory, *command = sys.argv[1:]
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        if int(memory):
            resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        try:
            os.execvp(command[0], command)
        except OSError as error:
            sys.stderr.write(f"{command[0]}: {error}\n")
            os._exit(127)
    _, status, used = os.wait4(child, 0)
    wall = time.monotonic() - start
    code = os.waitstatus_to_exitcode(status)
    with open(usage, "w") as out:
        out.write(f"{code} {used.ru_utime + used.ru_stime} {wall} {used.ru_maxrss / 1024}")


main()
