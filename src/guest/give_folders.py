"""Mounts folders of the host for a run, before its launcher, in a mount namespace that ends with
the run.

Folders of one user get an idmapped mount in which the files of their owner belong to the user of
the run, which only root can do, and an overlay above it if the original must not change. Others
get a view. Then it executes the launcher. It takes only paths of the host, and finishes before
anything of a skill is read.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import guest_messages  # noqa: E402
import namespaces  # noqa: E402
import views  # noqa: E402
from c_library import ask, call, perform  # noqa: E402

CLONE_NEWUSER = 0x10000000
MS_NOSUID_NODEV = 2 | 4
OPEN_TREE, MOVE_MOUNT, MOUNT_SETATTR = 428, 429, 442
AT_FDCWD = 2**64 - 100
AT_EMPTY_PATH = 0x1000
OPEN_TREE_CLONE = 1
MOVE_MOUNT_F_EMPTY_PATH = 4
MOUNT_ATTR_IDMAP = 0x100000
LAST_USER = 2**32 - 2
# Folder in the additional layer of a probe.
TRIED = ".skills-tried"


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
    if user is not None:
        os.chown(upper, user, user)
    os.chmod(upper, mode | 0o700)
    # The kernel shows the names of the layers to the run.
    layers = [views.open_folder(each) for each in (upper, work, target)]
    options = "upperdir=/proc/self/fd/%d,workdir=/proc/self/fd/%d,lowerdir=/proc/self/fd/%d" % tuple(layers)
    if overlay["probe"]:
        layers.append(views.open_folder(overlay["probe"]))
        options += ":/proc/self/fd/%d" % layers[-1]
    # An overlay hides what was removed by attributes, of which an ordinary user may set no others.
    mount("overlay", top, options if user is not None else options + ",userxattr")
    for each in layers:
        os.close(each)


def check_overlay(top):
    """Replaces a folder of the probe's layer. This needs attributes in the layer of changes, which
    tmpfs has for ordinary users since Linux 6.6.
    """
    folder = top + "/" + TRIED
    os.rmdir(folder)
    os.mkdir(folder)
    os.rename(folder, folder + "-again")


def enter_namespaces():
    """Enters a mount namespace. An ordinary user needs a user namespace for that; the launcher
    enters another one. Returns False if this machine denies it.
    """
    user, group = os.getuid(), os.getgid()
    if user == 0:
        call("unshare", namespaces.NEW_MOUNTS)
    else:
        try:
            call("unshare", namespaces.NEW_USER | namespaces.NEW_MOUNTS)
        except OSError:
            return False
        own_entry = namespaces.open_own_entry()
        namespaces.write_id_maps((user, user), (group, group), own_entry)
        os.close(own_entry)
    perform([namespaces.MAKE_PRIVATE])
    return True


def mount_wanted(wanted):
    if not enter_namespaces():
        # Without views, the result of the run says so: the guest lists none.
        return not wanted["folders"]
    empty = views.open_folder(wanted["empty"])
    for each in wanted["folders"]:
        if each["user"] is None:
            mount_overlay(each["source"], each["overlay"], os.stat(each["source"]).st_mode & 0o777)
            continue
        mode = mount_for_user(each["source"], each["place"], each["user"])
        if each["overlay"]:
            mount_overlay(each["place"], each["overlay"], mode)
    views.mount_views(wanted["views"], empty)
    os.close(empty)
    return True


def main():
    with open(sys.argv[1], "rb") as file:
        wanted = guest_messages.decode(file.read())
    try:
        if not mount_wanted(wanted):
            raise OSError(1, "namespaces are denied")
        for each in wanted["folders"]:
            if each["overlay"] and each["overlay"]["probe"]:
                check_overlay(each["overlay"]["top"])
    except OSError as error:
        sys.stderr.write("folders cannot be mounted for a run: %s\n" % error)
        os._exit(70)
    if sys.argv[2:]:
        os.environ.pop("LC_CTYPE", None)
        os.execv(sys.argv[2], sys.argv[2:])
    os._exit(0)


main()
