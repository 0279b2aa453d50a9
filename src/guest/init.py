"""Starts the first process of a run: Python keeps the compiled form of modules, not of what it is given."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import pid1  # noqa: E402

pid1.main()
