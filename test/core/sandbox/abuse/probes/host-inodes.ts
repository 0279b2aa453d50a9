import { createProbes } from '../case.ts'

/**
 * Objects of the host in a folder that is mounted read-only: a mount that is read-only does not keep
 * a program from connecting to a socket, or from writing to a pipe.
 */
export const HOST_INODES = createProbes('mounts', [
  [
    'F18.socket',
    'connects to a socket in a read-only folder of the host',
    'expects(HOST_MOUNTED); connect(socket.AF_UNIX, HOST_MOUNTED + "/socket")',
  ],
  [
    'F18.datagrams',
    'sends to a socket in a read-only folder of the host',
    'expects(HOST_MOUNTED); socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"x", HOST_MOUNTED + "/datagrams")',
  ],
  [
    'F18.descriptor',
    'connects to that socket by the path of a descriptor',
    'expects(HOST_MOUNTED); fd = os.open(HOST_MOUNTED + "/socket", os.O_PATH); connect(socket.AF_UNIX, "/proc/self/fd/%d" % fd)',
  ],
  [
    'F18.write',
    'writes to a pipe in a read-only folder of the host',
    'expects(HOST_MOUNTED); os.close(os.open(HOST_MOUNTED + "/pipe", os.O_WRONLY | os.O_NONBLOCK))',
  ],
  [
    'F18.read',
    'reads what the host wrote to a pipe in a read-only folder',
    'expects(HOST_MOUNTED); expects(os.read(os.open(HOST_MOUNTED + "/pipe", os.O_RDONLY | os.O_NONBLOCK), 1))',
  ],
  [
    'F18.lock',
    'sees, and so can take, the locks of a read-only folder of the host',
    'expects(HOST_MOUNTED)\nwith open(HOST_MOUNTED + "/locked") as file:\n    try: fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)\n    except BlockingIOError: pass\n    else: raise Held("it is free here")',
  ],
  [
    'F18.watch',
    'notices that the host reads a file',
    'expects(HOST_MOUNTED); fd = failing(libc.inotify_init1(0o4000)); failing(libc.inotify_add_watch(fd, (HOST_MOUNTED + "/read").encode(), 0x21)); expects(select.select([fd], [], [], 2)[0])',
  ],
  [
    'F18.lease',
    'takes a lease of a file, for which writers on the host would wait',
    'expects(HOST_MOUNTED); fcntl.fcntl(os.open(HOST_MOUNTED + "/lent", os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_RDLCK)',
  ],
  [
    'F18.bind',
    'leaves a socket of its own in a read-only folder of the host',
    'expects(HOST_MOUNTED); path = HOST_MOUNTED + "/own-%d" % os.getpid(); socket.socket(socket.AF_UNIX).bind(path); os.unlink(path)',
  ],
  [
    'F18.attribute',
    'sets an attribute by which an overlay would follow another folder',
    'expects(HOST_MOUNTED); os.setxattr(HOST_MOUNTED, "user.overlay.redirect", b"/etc")',
    { mayFail: 'the file system may have no such attributes' },
  ],
  [
    'F18.layer',
    'enters a layer of an overlay by the name that the kernel shows',
    'expects(HOST_MOUNTED)\nnames = [part.split(",")[0] for line in open("/proc/self/mounts") for part in line.replace(":", "=").split("=")[1:] if part.startswith("/proc/")]\nfor name in names: os.listdir(name)\nexpects(names)',
    { mayFail: 'the host may have no overlay' },
  ],
])
