"""Listening sockets in the sandbox's network that the host serves. They are bound here, passed
to the host and closed.
"""
import _socket
import fcntl
import struct

# The channel on which the host receives handles, each with one line of JSON.
HANDLES = 8

PROXY = 0
DIRECT = 1
NAMES = 2
DATAGRAMS = 3

LOOPBACK = "127.0.0.1"
ANY = "0.0.0.0"
BACKLOG = 128

SIOCSIFADDR = 0x8916
SIOCSIFNETMASK = 0x891C
ONE_ADDRESS = 0xFFFFFFFF
# Stands for all addresses of IPv4 but those of 0.0.0.0/8. A network of length zero has no route.
EVERY_ADDRESS = 0
WIDE_NETWORKS = [(1 << (32 - size)) + 1 for size in range(1, 9)]


def bind(kind, port):
    if kind in (NAMES, DATAGRAMS):
        listener = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)
        listener.bind((ANY if kind == DATAGRAMS else LOOPBACK, port))
        return "dgram.Socket", listener
    listener = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    # Each allowed host name has its own loopback address; no other interface exists.
    listener.bind((ANY if kind == DIRECT else LOOPBACK, port))
    listener.listen(BACKLOG)
    return "net.Server", listener


def add_address(number, address):
    """Adds an allowed address to the loopback interface, so that code can connect to it
    directly.
    """
    if address == EVERY_ADDRESS:
        for size, each in enumerate(WIDE_NETWORKS, 1):
            add_network(number + size, each, ONE_ADDRESS << (32 - size) & ONE_ADDRESS)
    else:
        add_network(number, address, ONE_ADDRESS)


def add_network(number, address, mask):
    """Makes all addresses of a network those of the loopback interface."""
    name = b"lo:%d" % number
    listener = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)
    for request, value in ((SIOCSIFADDR, address), (SIOCSIFNETMASK, mask)):
        request_data = struct.pack("16sHH4s16x", name, _socket.AF_INET, 0, value.to_bytes(4, "big"))
        fcntl.ioctl(listener.fileno(), request, request_data)
    listener.close()


def wait_for_answer(channel):
    answer = b""
    while not answer.endswith(b"\n"):
        part = channel.recv(4096)
        if not part:
            raise EOFError("the host does not accept the network's sockets")
        answer += part


def report_missing(channel, number, what, error):
    line = '{"listener":%d,"missing":"%s: %s"}\n' % (number, what, error.strerror)
    channel.sendall(line.encode())


def pass_listeners(wanted, addresses):
    """Binds each pair of kind and port. The host identifies them by index."""
    channel = _socket.socket(fileno=HANDLES)
    channel.setblocking(True)
    for number, address in enumerate(addresses):
        try:
            add_address(number, address)
        except OSError as error:
            text = _socket.inet_ntoa(address.to_bytes(4, "big"))
            report_missing(channel, -1, "address " + text, error)
    for number, (kind, port) in enumerate(wanted):
        try:
            name, listener = bind(kind, port)
        except OSError as error:
            # The proxy reaches all allowed destinations, so a run without it has no network.
            if kind == PROXY:
                raise OSError("the proxy has no port: %s" % error.strerror) from None
            report_missing(channel, number, "port %d" % port, error)
            continue
        line = '{"cmd":"NODE_HANDLE","type":"%s","dgramType":"udp4","msg":{"listener":%d}}\n'
        rights = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack("i", listener.fileno()))
        channel.sendmsg([(line % (name, number)).encode()], [rights])
        wait_for_answer(channel)
        listener.close()
    channel.close()
