"""Executes the cells of a kernel: pieces of one caller's code that share their variables.

Code of a cell runs in this process and can change it, as in any interpreter. The host relies on
nothing here: it starts and ends each cell, and accepts frames only with the key of that cell.
"""
import _signal
import ast
import binascii
import codeop
import inspect
import json
import linecache
import os
import sys
import types

import cell_streams
import harness
import results
import runtime_blobs
import skill_imports
from channel import KEY_BYTES, Channel

HEADER_BYTES = KEY_BYTES + 9
VALUE_LIMIT = 8000
AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
EXIT_HINT = "The variables are kept; end the kernel to end its interpreter"
# Code of a cell may replace builtins: its values are displayed by the original ones.
compile, eval, repr, isinstance, len, min = compile, eval, repr, isinstance, len, min
# Modules of which the code of cells gets copies of its own.
PRIVATE = ("json", "json.decoder", "json.encoder", "json.scanner", "codeop")


class CellChannel(Channel):
    """The channel of one cell. Functions that a cell may replace are bound before it runs."""

    def send(self, opcode, *parts, write=os.write, checksum=binascii.crc32):
        content = b"".join(parts)
        header = self._key + opcode + len(content).to_bytes(4, "big")
        data = header + checksum(content).to_bytes(4, "big") + content
        with self._lock:
            while data:
                data = data[write(self._fd, data):]


class EndedChannel:
    """Given to code that a cell has left behind: it can report nothing."""

    def is_own(self):
        return False

    def request(self, *_):
        raise RuntimeError("The cell that started this code has ended")

    send = request


class CellDrafts(runtime_blobs.Drafts):
    """The blobs of the current cell; code of earlier cells can write none."""

    ended = EndedChannel()
    current = None

    @property
    def channel(self):
        return self.ended if cell_streams.is_left_behind() else self.current

    @channel.setter
    def channel(self, value):
        self.current = value


class Interrupts:
    """Turns SIGINT into KeyboardInterrupt while a cell runs, and ignores it otherwise."""

    def __init__(self):
        self.is_running = False

    def handle(self, number, frame):
        if self.is_running:
            raise KeyboardInterrupt

    def begin(self):
        _signal.signal(_signal.SIGINT, self.handle)
        self.is_running = True

    def end(self):
        self.is_running = False


class Kernel:
    def __init__(self, job, fd):
        self._fd = fd
        self._folders = job["folders"]
        self._interrupts = Interrupts()
        self._loop = None
        self._flags = 0
        self._module = types.ModuleType("__main__")
        self._module.__dict__["__builtins__"] = __builtins__
        sys.modules["__main__"] = self._module

    def serve(self):
        while True:
            request = self._read_request()
            if request is None:
                return
            self._perform(*request)

    def _read_request(self):
        head = read_exactly(self._fd, HEADER_BYTES)
        if head is None:
            return None
        content = read_exactly(self._fd, int.from_bytes(head[KEY_BYTES + 1:KEY_BYTES + 5], "big"))
        return None if content is None else (head[:KEY_BYTES], json.loads(content))

    def _perform(self, key, cell):
        channel = CellChannel(self._fd, key)
        harness.DRAFTS.open(channel, bytes.fromhex(cell["blob_secret"]))
        cell_streams.enter(cell["number"], cell["streams"])
        try:
            result = self._execute(cell, channel)
            harness.PROGRESS.flush()
        finally:
            cell_streams.leave()
        if not channel.is_own():
            # The code forked, and the child returned.
            os._exit(0)
        channel.send_json(b"R", result)

    def _execute(self, cell, channel):
        name = "<cell %d>" % cell["number"]
        code = cell["code"]
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)
        if cell.get("args") is not None:
            self._module.args = cell["args"]
        try:
            self._interrupts.begin()
            channel.send(b"S")
            value = self._run(code, name)
            result = describe_value(value)
            self._interrupts.end()
            return result
        except SystemExit as error:
            failure = harness.build_exit_failure(error)
            failure["error"]["hint"] = EXIT_HINT
            return failure
        except BaseException as error:
            self._interrupts.end()
            return harness.describe_exception(error)
        finally:
            self._interrupts.end()

    def _run(self, code, name):
        """Returns the value of the last statement, if it is an expression."""
        options = self._flags | AWAIT
        tree = compile(code, name, "exec", ast.PyCF_ONLY_AST | options, dont_inherit=True)
        value = None
        for part in split_statements(tree.body):
            is_expression = isinstance(part, ast.Expression)
            compiled = compile(part, name, "eval" if is_expression else "exec", options, dont_inherit=True)
            self._flags |= compiled.co_flags & FEATURES
            value = self._evaluate(compiled)
            if not is_expression:
                value = None
            elif value is not None:
                self._module._ = value
        return value

    def _evaluate(self, compiled):
        value = eval(compiled, self._module.__dict__)
        return self._await(value) if compiled.co_flags & inspect.CO_COROUTINE else value

    def _await(self, coroutine):
        """Runs the event loop of the kernel, which keeps its tasks between cells."""
        import asyncio

        if self._loop is None or self._loop.is_closed():
            self._loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self._loop)
        task = self._loop.create_task(coroutine)
        try:
            return self._loop.run_until_complete(task)
        except KeyboardInterrupt:
            task.cancel()
            try:
                self._loop.run_until_complete(task)
            except BaseException:
                pass
            raise


FEATURES = 0
for feature in codeop._features:
    FEATURES |= feature.compiler_flag


def split_statements(body):
    """Returns the statements, and the last one apart if it is an expression."""
    if not body or not isinstance(body[-1], ast.Expr):
        return [ast.Module(body, [])]
    expression = ast.Expression(body[-1].value)
    return [ast.Module(body[:-1], []), expression] if len(body) > 1 else [expression]


def describe_value(value):
    """Returns the value as JSON, as far as it is that, and as text."""
    try:
        is_json = value is not None
        if is_json:
            results.check_value(value)
    except results.NotSerialisable:
        is_json = False
    outcome = harness.build_outcome(value if is_json else None)
    if value is not None and "error" not in outcome:
        text = repr(value)
        outcome["value"] = text if len(text) <= VALUE_LIMIT else text[:VALUE_LIMIT] + " …"
    return outcome


def read_exactly(fd, size, read=os.read):
    parts = []
    while size > 0:
        part = read(fd, min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def hide_guest():
    """Lets cells import modules of their own by the names of these."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None) or ""
        if name in PRIVATE or (file.startswith(harness.GUEST) and name != "__main__"):
            del sys.modules[name]


def main(job, fd):
    harness.set_up()
    _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
    os.set_inheritable(fd, False)
    harness.DRAFTS.__class__ = CellDrafts
    harness.enter(job)
    harness.install_runtime(None, b"", job["folders"]["blobs"])
    skill_imports.install(job["skills"], job["folders"]["skills"])
    cell_streams.install()
    kernel = Kernel(job, fd)
    hide_guest()
    kernel.serve()
    os._exit(0)
