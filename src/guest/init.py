"""Starts the first process of a run. Python caches the bytecode of imported modules, not of the
main script.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import pid1  # noqa: E402

pid1.main()
