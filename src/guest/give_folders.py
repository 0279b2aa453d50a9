"""Mounts folders of one user for the user of a run. Runs as root on the host, before the
sandbox.

In a mount namespace that ends with the run, each folder gets an idmapped mount in which the
files of its owner belong to the user of the run, and an overlay above it if the original must
not change. Then it executes the launcher. It takes only paths of the host, and finishes before
anything of a skill is read.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import guest_messages  # noqa: E402
from c_library import ask, call  # noqa: E402

CLONE_NEWNS = 0x20000
CLONE_NEWUSER = 0x10000000
MS_REC_PRIVATE = 0x4000 | 1 << 18
MS_NOSUID_NODEV = 2 | 4
OPEN_TREE, MOVE_MOUNT, MOUNT_SETATTR = 428, 429, 442
AT_FDCWD = 2**64 - 100
AT_EMPTY_PATH = 0x1000
OPEN_TREE_CLONE = 1
MOVE_MOUNT_F_EMPTY_PATH = 4
MOUNT_ATTR_IDMAP = 0x100000
LAST_USER = 2**32 - 2


def build_id_map(owner, user):
    """Maps the owner to the user of the run, and all other users to themselves."""
    rows = [(0, 0, owner), (owner, user, 1), (owner + 1, owner + 1, user - owner - 1)]
    rows.append((user + 1, user + 1, LAST_USER - user - 1))
    return "".join("%d %d %d\n" % row for row in rows if row[2] > 0)


def create_id_namespace(owner, group, user):
    """Creates a user namespace that serves only as an id mapping."""
    ready_reader, ready_writer = os.pipe()
    done_reader, done_writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(done_writer)
        call("unshare", CLONE_NEWUSER)
        os.write(ready_writer, b"x")
        os.read(done_reader, 1)
        os._exit(0)
    os.close(ready_writer)
    os.read(ready_reader, 1)
    for name, own in (("uid_map", owner), ("gid_map", group)):
        with open("/proc/%d/%s" % (child, name), "w", encoding="ascii") as file:
            file.write(build_id_map(own, user))
    namespace = os.open("/proc/%d/ns/user" % child, os.O_RDONLY)
    for fd in (ready_reader, done_reader, done_writer):
        os.close(fd)
    os.waitpid(child, 0)
    return namespace


def mount_for_user(source, target, user):
    status = os.stat(source)
    namespace = create_id_namespace(status.st_uid, status.st_gid, user)
    tree = ask("syscall", OPEN_TREE, AT_FDCWD, os.fsencode(source), OPEN_TREE_CLONE | os.O_CLOEXEC)
    values = (MOUNT_ATTR_IDMAP, 0, 0, namespace)
    attributes = b"".join(each.to_bytes(8, sys.byteorder) for each in values)
    ask("syscall", MOUNT_SETATTR, tree, b"", AT_EMPTY_PATH, attributes, len(attributes))
    ask("syscall", MOVE_MOUNT, tree, b"", AT_FDCWD, os.fsencode(target), MOVE_MOUNT_F_EMPTY_PATH)
    os.close(tree)
    os.close(namespace)
    return status.st_mode & 0o777


def mount(kind, target, options):
    values = (kind.encode(), os.fsencode(target), kind.encode())
    call("mount", *values, MS_NOSUID_NODEV, os.fsencode(options))


def mount_overlay(target, overlay, mode):
    """Mounts an overlay whose changes go to memory of a fixed size and are lost with the
    namespace.
    """
    room, top, user = overlay["room"], overlay["top"], overlay["user"]
    mount("tmpfs", room, "size=%d,mode=0711" % overlay["bytes"])
    upper, work = room + "/upper", room + "/work"
    for folder in (upper, work):
        os.mkdir(folder)
    os.chown(upper, user, user)
    os.chmod(upper, mode | 0o700)
    mount("overlay", top, "lowerdir=%s,upperdir=%s,workdir=%s" % (target, upper, work))


def main():
    with open(sys.argv[1], "rb") as file:
        wanted = guest_messages.decode(file.read())
    try:
        call("unshare", CLONE_NEWNS)
        call("mount", b"none", b"/", 0, MS_REC_PRIVATE, 0)
        for each in wanted:
            mode = mount_for_user(each["source"], each["place"], each["user"])
            if each["overlay"]:
                mount_overlay(each["place"], each["overlay"], mode)
    except OSError as error:
        sys.stderr.write("folders cannot be mounted for a run: %s\n" % error)
        os._exit(70)
    if sys.argv[2:]:
        os.environ.pop("LC_CTYPE", None)
        os.execv(sys.argv[2], sys.argv[2:])
    os._exit(0)


main()
