"""Calls functions of the C library without ctypes, whose import would be a large part of a run's
time.
"""
import _ctypes
import os
import struct

PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2


class Int(_ctypes._SimpleCData):
    _type_ = "i"


class UnsignedLong(_ctypes._SimpleCData):
    _type_ = "L"


class Byte(_ctypes._SimpleCData):
    _type_ = "B"


class Function(_ctypes.CFuncPtr):
    _flags_ = _ctypes.FUNCFLAG_CDECL | _ctypes.FUNCFLAG_USE_ERRNO
    _restype_ = Int


class Library:
    _handle = _ctypes.dlopen(None, 0)


FUNCTIONS = {}


def prepare(name, *arguments):
    """Converts integers to C values; bytes are passed as a pointer."""
    function = FUNCTIONS.get(name)
    if function is None:
        function = FUNCTIONS[name] = Function((name, Library()))
    return function, tuple(UnsignedLong(each) if isinstance(each, int) else each for each in arguments)


def perform(calls):
    """Performs calls: pairs of a function that returns None or 0, and its arguments."""
    for function, arguments in calls:
        if function(*arguments):
            error = _ctypes.get_errno()
            paths = [each.decode() for each in arguments if isinstance(each, bytes) and each[:1] == b"/"]
            raise OSError(error, os.strerror(error), " ".join(paths) or None)


def ask(name, *arguments):
    """Calls a function that returns a number; a negative one is an error."""
    function, values = prepare(name, *arguments)
    number = function(*values)
    if number < 0:
        error = _ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return number


def call(name, *arguments):
    function, values = prepare(name, *arguments)
    if function(*values) != 0:
        raise OSError(_ctypes.get_errno(), name)


class Filter:
    """A seccomp filter, prepared so that loading it is one call."""

    def __init__(self, code):
        kind = type("Code", (_ctypes.Array,), {"_type_": Byte, "_length_": len(code)})
        self._code = kind.from_buffer_copy(code)
        program = struct.pack("HxxxxxxP", len(code) // 8, _ctypes.addressof(self._code))
        self.prepared = prepare("prctl", PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0)

    def load(self):
        perform([self.prepared])
