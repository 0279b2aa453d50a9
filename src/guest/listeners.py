"""Sockets of this sandbox's network that the host serves: bound here, handed over, kept by nobody here."""
import _socket
import struct

# The channel on which the host's runtime takes handles, with a line of JSON for each.
HANDLES = 8

PROXY = 0
DIRECT = 1
NAMES = 2

LOOPBACK = "127.0.0.1"
ANY = "0.0.0.0"
BACKLOG = 128


def bind(kind, port):
    if kind == NAMES:
        wire = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)
        wire.bind((LOOPBACK, port))
        return "dgram.Socket", wire
    wire = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    # Every address of the loopback stands for a name; there is no other interface.
    wire.bind((ANY if kind == DIRECT else LOOPBACK, port))
    wire.listen(BACKLOG)
    return "net.Server", wire


def wait_for_answer(channel):
    answer = b""
    while not answer.endswith(b"\n"):
        part = channel.recv(4096)
        if not part:
            raise EOFError("the host does not take the network's sockets")
        answer += part


def hand_over(wanted):
    """Binds each of these pairs of kind and port; the host knows them by their number."""
    channel = _socket.socket(fileno=HANDLES)
    channel.setblocking(True)
    for number, (kind, port) in enumerate(wanted):
        try:
            name, wire = bind(kind, port)
        except OSError as error:
            # By the proxy all of the list can be reached; without it nothing can.
            if kind == PROXY:
                raise OSError("the proxy has no port: %s" % error.strerror) from None
            channel.sendall(b'{"listener":%d,"missing":true}\n' % number)
            continue
        line = '{"cmd":"NODE_HANDLE","type":"%s","dgramType":"udp4","msg":{"listener":%d}}\n'
        rights = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack("i", wire.fileno()))
        channel.sendmsg([(line % (name, number)).encode()], [rights])
        wait_for_answer(channel)
        wire.close()
    channel.close()
