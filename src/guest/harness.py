"""Runs one function in the sandbox, of a skill or of submitted code, and reports the result to
the host.
"""
import importlib
import linecache
import os
import sys
import traceback
import types

import guest_limits
import results
import runtime_blobs
import runtime_log
import runtime_progress
import skill_imports
from channel import Channel

OUTPUT_LIMIT = 4096
SUMMARY_LIMIT = 600
TEXT_LIMIT = 8000
TRACEBACK_LIMIT = 32000
GUEST = os.path.dirname(os.path.abspath(__file__)) + "/"
MACHINERY = (GUEST, "<frozen importlib", importlib.import_module.__code__.co_filename)
HARNESS = GUEST + "harness.py"
CODE_MODULE = "submitted_code"
CODE_FILE = "<code>"
# Exit code if the result could not be sent. The host only detects that the result is missing.
RESULT_NOT_SENT = 71


class EntrypointNotFound(Exception):
    pass


def set_streams():
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)


def format_text(value, limit):
    try:
        text = str(value)
    except Exception as error:
        text = "<%s while it was turned into text>" % type(error).__name__
    return text if len(text) <= limit else text[:limit] + " …"


def build_failure(error_type, message, **more):
    result = {"type": error_type, "message": message}
    result.update((key, value) for key, value in more.items() if value is not None)
    return {"error": result}


def strip_machinery(result):
    """Removes the frames of imports and of this harness from an exception and from its causes."""
    pending = [result]
    while pending:
        each = pending.pop()
        frames = [frame for frame in each.stack if not frame.filename.startswith(MACHINERY)]
        each.stack = traceback.StackSummary.from_list(frames)
        causes = [each.__cause__, each.__context__, *(getattr(each, "exceptions", None) or ())]
        pending.extend(one for one in causes if one is not None)
    return result


def format_traceback(error):
    """Formats the traceback without the frames of this harness."""
    frames = error.__traceback__
    each = frames
    while each is not None:
        if each.tb_frame.f_code.co_filename == HARNESS:
            frames = each.tb_next
        each = each.tb_next
    try:
        result = traceback.TracebackException(type(error), error, frames)
        text = "".join(strip_machinery(result).format())
    except Exception:
        return None
    if len(text) <= TRACEBACK_LIMIT:
        return text
    half = TRACEBACK_LIMIT // 2
    return text[:half] + "\n…\n" + text[-half:]


def load_skill_function(entry, skills):
    mounted = skills[skill_imports.module_name(entry["skill"])]
    if mounted.file is None or not os.path.isfile(mounted.file):
        raise EntrypointNotFound('The skill has no file "%s"' % entry["entrypoint"])
    # Appended last, so that the files of a skill never shadow the standard library for other
    # modules.
    sys.path.append(mounted.folder)
    module = importlib.import_module(mounted.module)
    return get_function(module, entry["export"], '"%s"' % entry["entrypoint"])


def load_code_function(entry):
    """Executes the code as a module and registers its lines for tracebacks and inspect."""
    code = entry["code"]
    linecache.cache[CODE_FILE] = (len(code), None, code.splitlines(True), CODE_FILE)
    module = types.ModuleType(CODE_MODULE)
    module.__file__ = CODE_FILE
    sys.modules[CODE_MODULE] = module
    exec(compile(code, CODE_FILE, "exec", dont_inherit=True), module.__dict__)
    return get_function(module, entry["export"], "The code")


def get_function(module, name, where):
    function = getattr(module, name, None)
    if not callable(function):
        raise EntrypointNotFound('%s has no function "%s"' % (where, name))
    return function


def await_result(value):
    """Returns the value of an ordinary function, or awaits a coroutine."""
    if not hasattr(value, "__await__"):
        return value
    import asyncio

    async def wait():
        return await value

    return asyncio.run(wait())


def build_outcome(value):
    try:
        data = results.serialise(value)
    except results.NotSerialisable as error:
        message = "The result is not JSON: " + format_text(error, TEXT_LIMIT)
        return build_failure("SerializationError", message, hint=error.hint)
    summary = value.get("summary") if isinstance(value, dict) else None
    result = {"summary": summary[:SUMMARY_LIMIT]} if isinstance(summary, str) else {}
    if len(data) <= OUTPUT_LIMIT:
        result["output"] = data.decode("utf-8")
    else:
        result["output_blob"] = DRAFTS.store("application/json", [data], is_output=True)
    return result


def build_exit_failure(error):
    code = error.code
    if code is None:
        number = 0
    else:
        number = code & 255 if isinstance(code, int) else 1
    detail = "" if code is None or isinstance(code, int) else ": " + format_text(code, TEXT_LIMIT)
    message = "The code ended with exit code %d before it returned%s" % (number, detail)
    return build_failure("Exited", message, hint="Return a value instead of exiting", exit_code=number)


def run(job, skills):
    mode = job.get("interactive")
    if mode is None:
        return call_function(job, skills)
    return sys.modules["interactive"].run(mode, job, skills)


def call_function(job, skills, on_error=None):
    """Calls the function and returns its outcome. `on_error` receives exceptions of its code."""
    entry = job["entry"]
    try:
        is_skill = entry["kind"] == "skill"
        function = load_skill_function(entry, skills) if is_skill else load_code_function(entry)
        return build_outcome(await_result(function(job["args"])))
    except EntrypointNotFound as error:
        return build_failure("EntrypointNotFound", str(error), hint=entry["hint"])
    except SystemExit as error:
        return build_exit_failure(error)
    except BaseException as error:
        if on_error is not None:
            on_error(error)
        return describe_exception(error)


def describe_exception(error):
    name = type(error).__name__[:200]
    number = error.errno if isinstance(error, OSError) else None
    return build_failure(
        name,
        format_text(error, TEXT_LIMIT),
        traceback=format_traceback(error),
        errno=number if isinstance(number, int) else None,
    )


def flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass


def make_runtime(drafts, progress):
    runtime = types.ModuleType("runtime", "Blobs, logs and progress of this run.")
    runtime.__path__ = []
    runtime.blobs = runtime_blobs.make_blobs(drafts)
    runtime.log = runtime_log.make_log(drafts)
    runtime.progress = progress.report
    return runtime


DRAFTS = runtime_blobs.Drafts()
PROGRESS = runtime_progress.Progress(DRAFTS)
RUNTIME = make_runtime(DRAFTS, PROGRESS)


def install_runtime(channel, secret, folder):
    runtime_blobs.FOLDER = folder
    DRAFTS.open(channel, secret)
    sys.modules["runtime"] = RUNTIME
    sys.modules["runtime.blobs"] = RUNTIME.blobs
    sys.modules["runtime.log"] = RUNTIME.log


def list_packages(job):
    """Returns the folders of installed packages. The host passes them unless it does not know
    the interpreter.
    """
    if job["paths"] is not None:
        return job["paths"]
    import site

    return site.getsitepackages()


IS_SET_UP = False


def set_up():
    """Sets up the interpreter for any run. A zygote does it once for all forks."""
    global IS_SET_UP
    if not IS_SET_UP:
        IS_SET_UP = True
        os.environ.clear()
        set_streams()
        sys.dont_write_bytecode = True


def start_trace(job):
    """Executes the source of a tracer before the code, and returns the function that ends it."""
    namespace = {"write": lambda: None}
    if "trace" in job:
        exec(compile(job["trace"], GUEST + "<trace>", "exec", dont_inherit=True), namespace)
    return namespace["write"]


def enter(job):
    """Sets up the environment, the folders and the import paths of a run."""
    folders = job["folders"]
    environment = {"HOME": folders["workspace"], "TMPDIR": folders["tmp"], **job["env"]}
    for name, value in environment.items():
        os.environ[name] = value
    os.chdir(folders["workspace"])
    os.umask(0o022)
    if "interactive" in job:
        importlib.import_module("interactive")
    if "fixed" in job:
        importlib.import_module("fixed_values").install(job["fixed"])
    sys.path.remove(GUEST[:-1])
    sys.path.extend(job.get("dependencies") or ())
    sys.path.extend(list_packages(job))
    sys.argv[:] = [job["entry"].get("entrypoint", CODE_FILE)]


def perform(job, channel):
    """Performs the run and returns the result for the host."""
    enter(job)
    folders = job["folders"]
    install_runtime(channel, bytes.fromhex(job["blob_secret"]), folders["blobs"])
    skills = {each.module: each for each in skill_imports.install(job["skills"], folders["skills"])}
    job["key"] = job["blob_secret"] = None
    guest_limits.set_limits(job)
    finish_trace = start_trace(job)
    result = run(job, skills)
    finish_trace()
    flush()
    PROGRESS.flush()
    return result


def main(job, fd):
    set_up()
    channel = Channel(fd, bytes.fromhex(job["key"]))
    result = perform(job, channel)
    if not channel.is_own():
        # User code forked and the child returned from the function; only the parent sends the
        # result.
        os._exit(0)
    try:
        channel.send_json(b"R", result)
    except OSError:
        os._exit(RESULT_NOT_SENT)
    os._exit(0)
