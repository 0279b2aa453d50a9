"""Runs a harness in an interpreter other than that of the first process, or in a new process of
the same one, which has an address-space layout of its own.
"""
import _signal
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import foreign  # noqa: E402
import harness  # noqa: E402
import pid1  # noqa: E402

with open(foreign.JOB, "rb") as file:
    job = json.load(file)
if "interactive" not in job:
    # Python turns it into KeyboardInterrupt, which the harness leaves to sessions of a user.
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
if job["entry"].get("language") == "shell":
    import shell_harness as runner
else:
    runner = harness
runner.main(job, pid1.CHANNEL)
