"""Read-only views of folders, mounted over the folders themselves.

A view is an overlay without an upper layer. The sockets, pipes and locks that a run opens in it are
other objects than those of the host, so it reaches no program of the host by them. The kernel
lists a view without the path of its folder.
"""
import os

import mount_table
import namespaces
from c_library import perform, prepare

VIEW_FLAGS = namespaces.READ_ONLY | namespaces.NO_SUID | namespaces.NO_DEVICES


def open_folder(path):
    return os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)


def mount_views(folders, empty):
    """An overlay needs two layers; `empty` is the descriptor of an empty folder.

    A folder that the kernel cannot show in this way stays as it is: the list of overlays, which
    the host gets, lacks it.
    """
    mounts = mount_table.list_mounts("") if folders else ()
    for folder in folders:
        # An overlay does not contain the mounts in its layers.
        inner = dict.fromkeys(each for each in mounts if each.startswith(folder + "/"))
        try:
            mount_tree((folder, *inner), empty)
        except OSError:
            pass


def mount_tree(paths, empty):
    """Mounts the views of a folder and of the mounts in it, or none of them."""
    layers = []
    mounted = False
    try:
        layers += ((path, open_folder(path)) for path in paths)
        for path, fd in layers:
            mount_view(fd, path, empty)
            mounted = True
    except OSError:
        if mounted:
            perform([prepare("umount2", os.fsencode(paths[0]), namespaces.DETACH)])
        raise
    finally:
        for _, fd in layers:
            os.close(fd)


def mount_view(fd, target, empty):
    """Names the layers by descriptors, because the kernel shows these names to the run.

    A layer may be part of another overlay, whose links must not be followed.
    """
    flags = VIEW_FLAGS | os.fstatvfs(fd).f_flag & namespaces.NO_EXEC
    options = b"lowerdir=/proc/self/fd/%d:/proc/self/fd/%d,redirect_dir=nofollow" % (fd, empty)
    perform([namespaces.new_file_system(b"overlay", os.fsencode(target), flags, options)])
