"""Plays the host for one run, on a machine without Node. Prints the results as one line."""
import json
import os
import socket
import subprocess
import sys

sys.path.insert(0, "/test/guest")
with open("/test/launch.json", encoding="utf-8") as file:
    LAUNCH = json.load(file)
USER = 1900000001
UNPRIVILEGED_UID = 65534
PROBE = ["/usr/bin/python3", "-I", "-S", "/test/probe.py"]


def select_existing(config):
    """This kernel has other files in /proc than that of the host that planned the mounts."""
    for step in config["steps"]:
        if step["kind"] == "processes":
            for kind in ("files", "folders"):
                step[kind] = [path for path in step[kind] if os.path.exists(path)]
    config["steps"] = [each for each in config["steps"] if each["kind"] != "bind" or os.path.exists(each["source"])]
    return config


def start_run():
    """Starts the launcher with the descriptors that the host gives it."""
    args, code, info = os.pipe(), os.pipe(), os.pipe()
    control, guest_control = socket.socketpair()
    channel, guest_channel = socket.socketpair()
    out, errors = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        given = [args[0], code[0], info[1], guest_control.fileno(), guest_channel.fileno()]
        # Above all that are in use, so that none is overwritten.
        moved = [os.dup2(fd, 100 + at) for at, fd in enumerate(given)]
        os.dup2(out[1], 1)
        os.dup2(errors[1], 2)
        for at, fd in enumerate(moved):
            os.dup2(fd, 3 + at, inheritable=True)
        os.closerange(8, 200)
        os.chdir(LAUNCH["cwd"])
        os.execve(LAUNCH["argv"][0], LAUNCH["argv"], LAUNCH["env"])
    for fd in (args[0], code[0], info[1], out[1], errors[1]):
        os.close(fd)
    guest_control.close()
    guest_channel.close()
    config = json.dumps(select_existing(json.loads(LAUNCH["args"]))).encode()
    for fd, content in ((args[1], config), (code[1], bytes.fromhex(LAUNCH["filter"]))):
        with os.fdopen(fd, "wb") as file:
            file.write(content)
    job = json.dumps(LAUNCH["job"]).encode()
    control.sendall(USER.to_bytes(4, "big") + len(job).to_bytes(4, "big") + job)
    with os.fdopen(out[0], "rb") as file:
        text = file.read().decode()
    with os.fdopen(errors[0], "rb") as file:
        text += file.read().decode()
    messages = read_all(control)
    os.waitpid(pid, 0)
    channel.close()
    return {"text": text, "messages": [json.loads(line) for line in messages.decode().split("\n") if line]}


def read_all(connection):
    parts = []
    try:
        while data := connection.recv(4096):
            parts.append(data)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def run_without_sandbox():
    """The same attacks of an ordinary user, as a control."""
    done = subprocess.run([*PROBE, json.dumps(LAUNCH["calls"])], capture_output=True, text=True, user=UNPRIVILEGED_UID, group=UNPRIVILEGED_UID, extra_groups=[])
    return done.stdout or done.stderr


def run_first_program():
    """State of the first process of a warm run, a program without an interpreter."""
    import first_program

    path = "/tmp/first"
    first_program.write_program(path)
    child = subprocess.Popen([path])
    state = {}
    for _ in range(500):
        with open("/proc/%d/syscall" % child.pid, encoding="ascii") as file:
            state["syscall"] = file.read().split()[0]
        if state["syscall"] == "73":
            break
    with open("/proc/%d/status" % child.pid, encoding="ascii") as file:
        state.update(line.strip().split(":\t") for line in file if line.startswith("SigIgn"))
    child.kill()
    child.wait()
    return state


def attempt(function):
    try:
        return function()
    except Exception as error:
        return "%s: %s" % (type(error).__name__, error)


result = {
    "machine": os.uname().machine,
    "run": attempt(start_run),
    "control": attempt(run_without_sandbox),
    "first": attempt(run_first_program),
}
print("skills-result " + json.dumps(result), flush=True)
