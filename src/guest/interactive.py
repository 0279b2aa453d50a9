"""Sessions of a user with the code of a skill: the debugger, and statements that are executed one by
one. The standard streams are a terminal, or pipes.
"""
import bdb
import code
import codeop
import re
import sys

import harness

# Begin a line that continues the block before it.
CONTINUATION = re.compile(r"(?:else|elif|except|finally)\b|[)\]}]")


def run(mode, job, skills):
    enable_line_editing()
    return debug(job, skills) if mode == "debug" else run_statements(job, skills)


def enable_line_editing():
    """Loads the line editor with its history, which `input` uses on a terminal."""
    if sys.stdin.isatty():
        try:
            import readline  # noqa: F401
        except ImportError:
            pass


def debug(job, skills):
    """Calls the function. `breakpoint()` opens the debugger, and so does an exception."""
    result = harness.call_function(job, skills, on_error=inspect_failure)
    if result.get("error", {}).get("type") == "BdbQuit":
        return harness.build_failure("DebuggerQuit", "The debugger ended the run")
    return result


def inspect_failure(error):
    if isinstance(error, bdb.BdbQuit):
        return
    import pdb

    frames = find_own_frames(error)
    if frames is None:
        return
    sys.stderr.write(harness.format_traceback(error) or "")
    sys.stderr.flush()
    pdb.post_mortem(frames)


def find_own_frames(error):
    """Returns the traceback below the harness; None if no code of the skill ran."""
    found = each = error.__traceback__
    while each is not None:
        if each.tb_frame.f_code.co_filename == harness.HARNESS:
            found = each.tb_next
        each = each.tb_next
    return found


class Statements(code.InteractiveConsole):
    """Reads statements until the end of the input. In a pipe, there are no prompts, and the next
    statement ends an indented block.
    """

    def __init__(self, names):
        super().__init__(names)
        self._is_terminal = sys.stdin.isatty()
        self._next_line = None

    def raw_input(self, prompt=""):
        if self._is_terminal:
            return input(prompt)
        line, self._next_line = self._next_line or sys.stdin.readline(), None
        if self._ends_block(line):
            self._next_line = line
            return ""
        if line == "":
            raise EOFError
        return line.rstrip("\n")

    def _ends_block(self, line):
        if not self.buffer or line[:1] in (" ", "\t", "\n") or CONTINUATION.match(line):
            return False
        try:
            return codeop.compile_command("\n".join(self.buffer) + "\n") is not None
        except (SyntaxError, ValueError, OverflowError):
            return False


def run_statements(job, skills):
    entry = job["entry"]
    names = {"__name__": "__console__", "runtime": harness.RUNTIME, "args": job["args"]}
    try:
        function = harness.load_skill_function(entry, skills)
        names[entry["export"]] = function
        names.update(vars(sys.modules[function.__module__]), __name__="__console__")
    except BaseException as error:
        # The user can still look at the files and at the error.
        sys.stderr.write(harness.format_traceback(error) or "%s\n" % error)
    try:
        Statements(names).interact(format_banner(entry), "")
    except SystemExit:
        pass
    return {"output": "null"}


def format_banner(entry):
    if not sys.stdin.isatty():
        return ""
    version = "%d.%d.%d" % sys.version_info[:3]
    text = "Python %s with the names of %s, runtime and args. Ctrl-D ends the session."
    return text % (version, entry["skill"])
