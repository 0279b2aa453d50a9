"""Standard output and errors of the cells of a kernel. Each cell has streams of its own, which the
processes that it starts inherit. What threads and tasks print after the end of their cell is
dropped.
"""
import contextvars
import io
import sys
import threading
import weakref

# Code of a cell may replace functions of the module: these are bound before.
from os import O_WRONLY, close, dup, dup2, unlink
from os import open as open_file

# Number of the cell in whose context the code runs; threads have none.
CELL = contextvars.ContextVar("cell", default=None)
STREAMS = {1: "stdout", 2: "stderr"}


class State:
    cell = None
    main = threading.main_thread()
    # Threads that earlier cells have left behind.
    threads = weakref.WeakSet()
    # Copies of the streams between cells.
    idle = {}


def is_left_behind():
    """True if the running code was started by an earlier cell."""
    cell = CELL.get()
    if cell is not None:
        return cell != State.cell
    thread = threading.current_thread()
    return thread is not State.main and thread in State.threads


class CellStream(io.TextIOBase):
    """A standard stream, which drops what earlier cells print."""

    def __init__(self, fd, text):
        self._fd = fd
        self._text = text

    encoding = property(lambda self: self._text.encoding)
    errors = property(lambda self: self._text.errors)
    buffer = property(lambda self: DROPPED if is_left_behind() else self._text.buffer)

    def write(self, text):
        if is_left_behind():
            return len(text)
        return self._text.write(text)

    def flush(self):
        if not is_left_behind():
            self._text.flush()

    def fileno(self):
        return self._fd

    def isatty(self):
        return False

    def writable(self):
        return True

    def reconfigure(self, **options):
        self._text.reconfigure(**options)


class Dropped(io.RawIOBase):
    def writable(self):
        return True

    def write(self, data):
        return len(data)


DROPPED = Dropped()


def install():
    for fd, name in STREAMS.items():
        State.idle[fd] = dup(fd)
        stream = CellStream(fd, getattr(sys, name))
        setattr(sys, name, stream)
        setattr(sys, "__%s__" % name, stream)


def enter(number, paths):
    """Opens the streams of a cell."""
    for (fd, name), path in zip(STREAMS.items(), paths):
        opened = open_file(path, O_WRONLY)
        unlink(path)
        dup2(opened, fd)
        close(opened)
    State.cell = number
    CELL.set(number)


def leave():
    """Closes the streams of a cell; processes that it has started keep them."""
    for fd, name in STREAMS.items():
        try:
            getattr(sys, "__%s__" % name).flush()
            getattr(sys, name).flush()
        except Exception:
            pass
        dup2(State.idle[fd], fd)
    State.threads.update(each for each in threading.enumerate() if each is not State.main)
    State.cell = None
