"""Starts the launcher. The host starts this file in its own folder, so that no path of the host
shows in a run.
"""
import sys

sys.path.insert(0, "/proc/self/cwd")

import launcher  # noqa: E402

launcher.main()
