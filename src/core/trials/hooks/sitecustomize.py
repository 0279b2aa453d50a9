"""Loaded by every Python of a trial: reports started programs and opened files to the log, shifts
the clock, and changes the names of the host and the user. Code can evade it, so nothing here proves
anything.
"""
import os
import sys

LOG = os.environ.get("TRIAL_LOG")
HOME = os.environ.get("TRIAL_HOME", "")
TOKEN = os.environ.get("TRIAL_TOKEN", "")
SHIFT = float(os.environ.get("TRIAL_SHIFT", "0") or 0)
HOST = os.environ.get("TRIAL_HOST")
USER = os.environ.get("TRIAL_USER")
# Longer sleeps end early, and the clock advances by the rest.
LONGEST_SLEEP = 0.02
MAX_FIELD = 400


def install_log(time):
    is_busy = []
    now = time.time

    def write(kind, *fields):
        text = "\x1f".join([repr(now()), kind, *[str(each)[:MAX_FIELD] for each in fields]])
        fd = os.open(LOG, os.O_WRONLY | os.O_APPEND)
        try:
            os.write(fd, text.encode("utf-8", "replace") + b"\x1e")
        finally:
            os.close(fd)

    def describe(event, arguments):
        if event == "open":
            path = arguments[0]
            if isinstance(path, bytes):
                path = os.fsdecode(path)
            if isinstance(path, str) and path.startswith(HOME + "/") and not path.endswith((".py", ".pyc")):
                return "opened", path
        elif event in ("subprocess.Popen", "os.exec", "os.posix_spawn"):
            words = arguments[1]
            return ("started", words) if isinstance(words, str) else ("started", *map(os.fsdecode, words))
        elif event == "os.system":
            return "started", os.fsdecode(arguments[0])
        elif event == "socket.connect":
            address = arguments[1]
            return "connected", "%s:%s" % address[:2] if isinstance(address, tuple) else address
        elif event == "compile" and TOKEN and arguments[0] is not None:
            source = arguments[0]
            if (TOKEN.encode() if isinstance(source, bytes) else TOKEN) in source:
                return ("fetched",)
        return None

    def audit(event, arguments):
        if event not in EVENTS or is_busy:
            return
        is_busy.append(True)
        try:
            described = describe(event, arguments)
            if described:
                write(*described)
        except Exception:
            pass
        finally:
            is_busy.pop()

    sys.addaudithook(audit)


EVENTS = frozenset(
    ["open", "subprocess.Popen", "os.exec", "os.posix_spawn", "os.system", "socket.connect", "compile"]
)


class Clock:
    """The host's clock, ahead by a number of seconds."""

    def __init__(self, time):
        self.shift = SHIFT
        self._real = {name: getattr(time, name) for name in ("time", "time_ns", "sleep", "monotonic")}

    def time(self):
        return self._real["time"]() + self.shift

    def time_ns(self):
        return self._real["time_ns"]() + int(self.shift * 1e9)

    def monotonic(self):
        return self._real["monotonic"]() + self.shift

    def sleep(self, seconds):
        self._real["sleep"](min(max(seconds, 0), LONGEST_SLEEP))
        self.shift += max(0, seconds - LONGEST_SLEEP)


def shift_time(time):
    clock = Clock(time)

    def at_shifted_time(function):
        return lambda seconds=None: function(clock.time() if seconds is None else seconds)

    strftime = time.strftime
    time.localtime, time.gmtime, time.ctime = map(at_shifted_time, (time.localtime, time.gmtime, time.ctime))
    time.strftime = lambda form, *values: strftime(form, *(values or (time.localtime(),)))
    time.time, time.time_ns, time.sleep, time.monotonic = clock.time, clock.time_ns, clock.sleep, clock.monotonic
    return clock


def shift_dates(clock):
    import datetime

    real_datetime, real_date = datetime.datetime, datetime.date

    class IsReal(type):
        def __instancecheck__(cls, value):
            return isinstance(value, cls.__mro__[1])

    class Date(real_date, metaclass=IsReal):
        @classmethod
        def today(cls):
            return real_date.fromtimestamp(clock.time())

    class Datetime(real_datetime, metaclass=IsReal):
        @classmethod
        def now(cls, tz=None):
            return real_datetime.fromtimestamp(clock.time(), tz)

        @classmethod
        def today(cls):
            return real_datetime.fromtimestamp(clock.time())

        @classmethod
        def utcnow(cls):
            return real_datetime.fromtimestamp(clock.time(), datetime.timezone.utc).replace(tzinfo=None)

    for each in (Date, Datetime):
        each.__name__ = each.__qualname__ = each.__mro__[1].__name__
    datetime.date, datetime.datetime = Date, Datetime


def change_names():
    import socket

    uname = os.uname()
    changed = type(uname)((uname.sysname, HOST, uname.release, uname.version, uname.machine))
    os.uname = lambda: changed
    socket.gethostname = lambda: HOST
    getfqdn = socket.getfqdn
    socket.getfqdn = lambda name="": getfqdn(name) if name else HOST
    os.getlogin = lambda: USER


def main():
    import time

    if LOG:
        install_log(time)
    clock = shift_time(time)
    if SHIFT:
        shift_dates(clock)
    if HOST:
        change_names()
    if os.environ.get("TRIAL_PACKAGES"):
        import packages  # noqa: F401


try:
    main()
except Exception:
    # Code of the skill must start whatever its Python lacks.
    pass
