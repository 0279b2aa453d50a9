"""A few calls of the C library, without the whole of ctypes: its import would be a tenth of a run."""
import _ctypes


class Int(_ctypes._SimpleCData):
    _type_ = "i"


class UnsignedLong(_ctypes._SimpleCData):
    _type_ = "L"


class Function(_ctypes.CFuncPtr):
    _flags_ = _ctypes.FUNCFLAG_CDECL | _ctypes.FUNCFLAG_USE_ERRNO
    _restype_ = Int


class Library:
    _handle = _ctypes.dlopen(None, 0)


FUNCTIONS = {}


def call(name, *arguments):
    """Numbers go as they do in C, bytes as a pointer."""
    function = FUNCTIONS.get(name)
    if function is None:
        function = FUNCTIONS[name] = Function((name, Library()))
    words = [UnsignedLong(each) if isinstance(each, int) else each for each in arguments]
    if function(*words) != 0:
        raise OSError(_ctypes.get_errno(), name)
