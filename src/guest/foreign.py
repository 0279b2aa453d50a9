"""Passes a run to a harness in another language, or in another interpreter. The job goes through a descriptor, nothing of
it through argv.
"""
import _signal
import json
import os

import guest_limits

JOB = 8


def write_unlinked(job, folder):
    """Writes the job to an unlinked file, so that a job of any size can be read at any time."""
    path = os.path.join(folder, ".job")
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    os.unlink(path)
    data = json.dumps(job).encode("ascii")
    while data:
        data = data[os.write(fd, data):]
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def build_environment(job):
    folders = job["folders"]
    own = {"HOME": folders["workspace"], "TMPDIR": folders["tmp"]}
    return {**own, **job["env"]}


def build_library_path(job):
    libraries = job.get("libraries")
    return {} if libraries is None else {"LD_LIBRARY_PATH": libraries}


def enter_workspace(job):
    """Sets up a process that runs a skill's code."""
    os.umask(0o022)
    os.chdir(job["folders"]["workspace"])
    # Python ignores this signal, and child processes would inherit that. SIGXFSZ remains ignored: a
    # write beyond the size of a file fails, as one to a full disk, instead of ending the program.
    _signal.signal(_signal.SIGPIPE, _signal.SIG_DFL)
    guest_limits.set_limits(job)


def main(job, channel):
    guest = os.path.dirname(os.path.abspath(__file__))
    job_fd = write_unlinked(job, job["folders"]["tmp"])
    os.dup2(job_fd, JOB)
    if job_fd != JOB:
        os.close(job_fd)
    for fd in (JOB, channel):
        os.set_inheritable(fd, True)
    inspected = job.get("inspect")
    if inspected and inspected["socket"]:
        import inspect_relay

        inspect_relay.start(inspected["socket"], inspected["port"])
    enter_workspace(job)
    interpreter = job.get("interpreter")
    program = interpreter or job["program"]
    argv = [os.path.join(guest, each[len("/guest/"):]) if each.startswith("/guest/") else each for each in program]
    # A harness sets the variables of the run itself.
    os.execve(argv[0], argv, build_environment(job) if interpreter is None else build_library_path(job))
