"""Attempts of code in a sandbox with network, each in its own way; results are data."""
import http.client
import json
import os
import select
import socket
import ssl
import threading
import time
import urllib.request


def told(attempt, *words):
    try:
        return attempt(*words)
    except BaseException as error:
        return "%s: %s" % (type(error).__name__, error)


def by_urllib(url, proxies=None):
    handlers = [] if proxies is None else [urllib.request.ProxyHandler(proxies)]
    return urllib.request.build_opener(*handlers).open(url, timeout=20).read().decode()


def without_proxy(url):
    return by_urllib(url, {})


def like_requests(url):
    """As requests and urllib3 do it: the proxy from the environment, and CONNECT for https."""
    parts = urllib.request.urlparse(url)
    proxy = urllib.request.urlparse(os.environ[parts.scheme.upper() + "_PROXY"])
    if parts.scheme == "https":
        connection = http.client.HTTPSConnection(proxy.hostname, proxy.port, timeout=20)
        connection.set_tunnel(parts.hostname, parts.port)
        connection.request("GET", parts.path)
    else:
        connection = http.client.HTTPConnection(proxy.hostname, proxy.port, timeout=20)
        connection.request("GET", url)
    answer = connection.getresponse()
    return "%d %s" % (answer.status, answer.read().decode())


def by_socket(host, port, name=None):
    """Uses neither proxies nor the environment."""
    wire = socket.create_connection((host, port), timeout=20)
    wire.sendall(b"GET /raw HTTP/1.0\r\nHost: %s:%d\r\n\r\n" % ((name or host).encode(), port))
    said = b""
    while True:
        part = wire.recv(4096)
        if not part:
            return said.decode()
        said += part


def by_tls(host, port, name=None):
    wire = socket.create_connection((host, port), timeout=20)
    secure = ssl.create_default_context().wrap_socket(wire, server_hostname=name or host)
    secure.sendall(b"GET /tls HTTP/1.0\r\nHost: %s\r\n\r\n" % (name or host).encode())
    return secure.recv(4096).decode()


def connect(host, port):
    socket.create_connection((host, port), timeout=20).close()
    return "connected"


def bind(address, port, *options):
    wire = socket.socket()
    for option in options:
        wire.setsockopt(socket.SOL_SOCKET, option, 1)
    wire.bind((address, port))
    wire.listen()
    return "bound"


def listen(seconds):
    """Listens on every address for a while and prints the port."""
    wire = socket.socket()
    wire.bind(("0.0.0.0", 0))
    wire.listen()
    port = wire.getsockname()[1]
    print("port %d" % port, flush=True)
    own = told(connect, "127.0.0.1", port)
    wire.accept()
    wire.settimeout(seconds)
    return {"own": own, "other": told(lambda: wire.accept() and "connected")}


def many(host, port, count):
    """Opens this many connections, sends nothing, and waits until the peer closes one of them."""
    held = []
    for _ in range(count):
        try:
            held.append(socket.create_connection((host, port), timeout=20))
        except OSError:
            break
    ended, _, _ = select.select(held, [], [], 10)
    return "ended" if ended else "all open"


def after(url):
    """Ignores the environment."""
    for name in list(os.environ):
        if "prox" in name.lower():
            del os.environ[name]
    return by_urllib(url)


def size(url):
    return len(by_urllib(url))


def size_without_proxy(url):
    return len(by_urllib(url, {}))


def upload(url, count, proxies=None):
    handlers = [] if proxies is None else [urllib.request.ProxyHandler(proxies)]
    return urllib.request.build_opener(*handlers).open(url, data=b"x" * count, timeout=20).read().decode()


def upload_without_proxy(url, count):
    return upload(url, count, {})


def flood_names(name, count):
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    question = b"\xab\xcd\1\0\0\1\0\0\0\0\0\0" + labels + b"\0\0\1\0\1"
    wire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    wire.connect(("127.0.0.1", 53))
    wire.settimeout(1)
    sent = 0
    while sent < count:
        sent += sum(wire.send(question) for _ in range(16))
        for _ in range(16):
            told(wire.recv, 512)
    return "sent"


def sleep(seconds):
    time.sleep(seconds)


def unshare(flags):
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    return "done" if libc.unshare(flags) == 0 else os.strerror(ctypes.get_errno())


def environment():
    return {name: value for name, value in os.environ.items() if "prox" in name.lower()}


def rights():
    with open("/proc/self/status", encoding="ascii") as lines:
        return [line.split()[1] for line in lines if line.startswith("Cap")]


def files():
    return sorted(int(name) for name in os.listdir("/proc/self/fd"))


def main(args):
    known = globals()
    if args.get("at_once"):
        answers = {}
        threads = [
            threading.Thread(target=lambda at=at, words=words: answers.update({at: told(known[words[0]], *words[1:])}))
            for at, words in enumerate(args["attempts"])
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return [answers[at] for at in range(len(threads))]
    return [told(known[words[0]], *words[1:]) for words in args["attempts"]]
