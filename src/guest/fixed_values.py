"""Fixes the clock and the random numbers of Python code, so that tests of skills are repeatable.

The clock stands still. What the kernel and other programs report is unchanged, and so are
monotonic clocks and the random bytes of the system.
"""
import sys
import time
from importlib.machinery import PathFinder


class PatchingFinder:
    """Changes modules right after they are imported, so that runs that do not import them do not
    load them.
    """

    def __init__(self, patches):
        self._patches = patches

    def find_spec(self, name, path=None, target=None):
        change = self._patches.pop(name, None)
        if change is None:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def execute_and_change(module):
            execute(module)
            change(module)

        spec.loader.exec_module = execute_and_change
        return spec


def install(fixed):
    patches = {"random": lambda module: module.seed(fixed["seed"])}
    now = fixed["now"]
    if now is not None:
        fix_time(now)
        patches["datetime"] = lambda module: fix_datetime(module, now)
    for name in [name for name in patches if name in sys.modules]:
        patches.pop(name)(sys.modules[name])
    sys.meta_path.insert(0, PatchingFinder(patches))


def fix_time(now):
    originals = {name: getattr(time, name) for name in ("localtime", "gmtime", "ctime", "strftime", "asctime")}
    time.time = lambda: now
    time.time_ns = lambda: round(now * 1000) * 1_000_000
    for name in ("localtime", "gmtime", "ctime"):
        setattr(time, name, fix_default(originals[name], now))
    time.strftime = lambda form, when=None: originals["strftime"](form, when or time.localtime())
    time.asctime = lambda when=None: originals["asctime"](when or time.localtime())


def fix_default(function, now):
    return lambda seconds=None: function(now if seconds is None else seconds)


def fix_datetime(module, now):
    real_datetime, real_date = module.datetime, module.date

    class DatetimeType(type):
        def __instancecheck__(cls, value):
            return isinstance(value, real_datetime)

    class DateType(type):
        def __instancecheck__(cls, value):
            return isinstance(value, real_date)

    class datetime(real_datetime, metaclass=DatetimeType):
        @classmethod
        def now(cls, tz=None):
            return cls.fromtimestamp(now, tz)

        @classmethod
        def utcnow(cls):
            return cls.fromtimestamp(now, module.timezone.utc).replace(tzinfo=None)

        @classmethod
        def today(cls):
            return cls.fromtimestamp(now)

    class date(real_date, metaclass=DateType):
        @classmethod
        def today(cls):
            return cls.fromtimestamp(now)

    for fixed, real in ((datetime, real_datetime), (date, real_date)):
        fixed.__module__, fixed.__qualname__, fixed.__doc__ = "datetime", real.__name__, real.__doc__
    module.datetime, module.date = datetime, date
