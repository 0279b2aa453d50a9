"""Starts the interpreter of a kernel, which executes cells until its sandbox ends."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import foreign  # noqa: E402
import kernel  # noqa: E402
import pid1  # noqa: E402

with open(foreign.JOB, "rb") as file:
    job = json.load(file)
kernel.main(job, pid1.CHANNEL)
