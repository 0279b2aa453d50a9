"""Runs the harness in an interpreter other than that of the first process."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import foreign  # noqa: E402
import harness  # noqa: E402
import pid1  # noqa: E402

with open(foreign.JOB, "rb") as file:
    job = json.load(file)
harness.main(job, pid1.CHANNEL)
