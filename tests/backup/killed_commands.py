"""Commands of an installation in processes that are killed at one of their lines."""

import signal
import subprocess
from random import Random

from effort import THOROUGH
from process_server import LoadedProcess

PARENT = """
import os, signal, sys

seen, steps, entered, traced = 0, [], set(), {}
TRACED = (
    "/firmograph/backup/",
    "/database/copies.py",
    "/database/staged",
    "/kit/atomic_files.py",
    "/privacy/erasing.py",
    "/privacy/restored_people.py",
)

def on_line(frame, event, argument):
    global seen
    if event == "line":
        seen += 1
        if seen == deadly:
            os.kill(os.getpid(), signal.SIGKILL)
    return on_line

def on_call(frame, event, argument):
    code = frame.f_code
    file = code.co_filename
    # this runs for every call of the process
    if file not in traced:
        traced[file] = any(name in file for name in TRACED)
    if not traced[file]:
        return None
    if code not in entered:
        entered.add(code)
        steps.append(seen + 1)
    return on_line

from firmograph.backup import postgresql, service, sqlite
from firmograph.cli.main import load, run
sqlite._PAGES_PER_STEP = 4
for command in ("backup", "restore", "copy-database"):
    load(command)

for line in sys.stdin:
    number, *words = line.split()
    deadly = int(number)
    if child := os.fork():
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    sys.argv, sys.stdout = ["firmograph", *words], sys.stderr
    sys.settrace(on_call)
    try:
        run()
    except SystemExit as ended:
        assert not ended.code, ended.code
    print("lines:", seen, *steps, file=sys.__stdout__, flush=True)
    break
"""
PARTS = 4


class KilledCommands:
    """Commands of an installation in processes that are killed at one of their lines.

    They are forked from a process that has loaded the program: loading takes longer than the commands.
    """

    def __init__(self, installation):
        self.parent = LoadedProcess(
            ["-c", PARENT],
            cwd=installation.folder,
            env=installation.command.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, line, *words):
        """Run a command; return its number of lines and the first of each function, or None if it was killed."""
        print(line, *words, file=self.parent.stdin, flush=True)
        answer, lines = self.parent.stdout.readline(), None
        if answer.startswith("lines:"):
            lines, answer = [int(number) for number in answer.split()[1:]], self.parent.stdout.readline()
        assert int(answer) in ((-signal.SIGKILL,) if lines is None else (0,)), answer
        return lines

    def moments(self, *words):
        """Run a command once and return a line of each of its parts."""
        (lines, *_), draws = self.run(0, *words), Random(1)
        return [
            draws.randint(part * lines // PARTS + 1, (part + 1) * lines // PARTS) for part in range(PARTS)
        ]

    def steps(self, *words, most):
        """Run a command once and return the first line of its functions and the last line.

        A run of a commit has at most so many of them.
        """
        last, *steps = self.run(0, *words)
        chosen = steps if THOROUGH else Random(1).sample(steps, min(most, len(steps)))
        return [*sorted(chosen), last]
