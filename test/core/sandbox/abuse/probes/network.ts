import { createProbes } from '../case.ts'

const ROUTE = 'the machine may have no route there'
const BUILT = 'the kernel may be built without it'

/** Destinations that a run without network must not reach. */
export const NETWORK = createProbes('network', [
  [
    'N1.public',
    'finds a route to a public address',
    'route_to(socket.AF_INET, "1.1.1.1")',
    { mayFail: ROUTE },
  ],
  [
    'N2.loopback',
    'reaches a port of the host',
    'connect(socket.AF_INET, ("127.0.0.1", HOST_PORT))',
  ],
  [
    'N2.other',
    'reaches the port by another loopback address',
    'connect(socket.AF_INET, ("127.9.9.9", HOST_PORT))',
  ],
  ['N2.any', 'reaches the port by 0.0.0.0', 'connect(socket.AF_INET, ("0.0.0.0", HOST_PORT))'],
  [
    'N2.name',
    'reaches the port by the name localhost',
    'connect(socket.AF_INET, ("localhost", HOST_PORT))',
  ],
  [
    'N2.own',
    'reaches the port by the address of the host',
    'connect(socket.AF_INET, (HOST_ADDRESS, HOST_PORT))',
  ],
  [
    'N2.mapped',
    'reaches the port by a mapped address',
    'connect(socket.AF_INET6, ("::ffff:127.0.0.1", HOST_PORT))',
    { mayFail: 'the machine may have no IPv6' },
  ],
  [
    'N2.udp',
    'gets a UDP response',
    'connect(socket.AF_INET, ("127.0.0.1", HOST_UDP), socket.SOCK_DGRAM)',
  ],
  [
    'N4.private',
    'finds a route to a private address',
    'route_to(socket.AF_INET, "10.1.2.3")',
    { mayFail: ROUTE },
  ],
  [
    'N4.metadata',
    'finds a route to the cloud metadata address',
    'route_to(socket.AF_INET, "169.254.169.254")',
    { mayFail: ROUTE },
  ],
  [
    'N4.shared',
    'finds a route to a shared address',
    'route_to(socket.AF_INET, "100.64.0.1")',
    { mayFail: ROUTE },
  ],
  [
    'N4.broadcast',
    'sends a broadcast',
    's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1); s.sendto(b"", ("255.255.255.255", 9))',
    { mayFail: ROUTE },
  ],
  [
    'N4.multicast',
    'joins a multicast group',
    's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton("239.1.2.3") + socket.inet_aton("0.0.0.0"))',
    { mayFail: ROUTE },
  ],
  [
    'N5.name',
    'resolves the name of the host',
    'socket.gethostbyname(HOST_NAME) or None',
    { mayFail: 'not every host knows its name' },
  ],
  ['N5.server', 'reads the name servers of the host', 'slurp("/etc/resolv.conf")'],
  [
    'N7.loopback',
    'reaches a port of the host by IPv6',
    'expects(HOST_PORT6); connect(socket.AF_INET6, ("::1", HOST_PORT6))',
    { mayFail: 'the machine may have no IPv6' },
  ],
  [
    'N7.public',
    'finds a route to an IPv6 address',
    'route_to(socket.AF_INET6, "2606:4700::1111")',
    { mayFail: ROUTE },
  ],
  ['N8.raw', 'creates a raw socket', 'socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).close()'],
  [
    'N8.raw6',
    'creates a raw IPv6 socket',
    'socket.socket(socket.AF_INET6, socket.SOCK_RAW, 58).close()',
    { mayFail: 'the machine may have no IPv6' },
  ],
  [
    'N8.ping',
    'creates a ping socket',
    'socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 1).close()',
    { mayFail: 'the machine may disallow ping' },
  ],
  [
    'N8.packet',
    'creates a packet socket',
    'socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close()',
  ],
  [
    'N8.netlink',
    'queries the kernel by netlink',
    'socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).close()',
  ],
  [
    'N8.audit',
    "receives the kernel's audit messages",
    'socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 9).close()',
    { mayFail: BUILT },
  ],
  [
    'N8.events',
    "receives the kernel's events",
    'socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 15).close()',
  ],
  [
    'N8.down',
    'takes an interface down',
    's = socket.socket(); fcntl.ioctl(s, 0x8914, struct.pack("16sH14x", b"lo", 0))',
    { control: 'loose' },
  ],
  [
    'N8.address',
    'assigns itself an address',
    's = socket.socket(); fcntl.ioctl(s, 0x8916, struct.pack("16sHH4s8x", b"lo", 2, 0, bytes([10, 9, 9, 9])))',
    { control: 'loose' },
  ],
  [
    'N8.spoof',
    'sends from arbitrary addresses',
    's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.setsockopt(0, 19, 1)',
  ],
  ['N8.mark', 'marks its packets', 's = socket.socket(); s.setsockopt(socket.SOL_SOCKET, 36, 7)'],
  [
    'N10.crypto',
    "uses the kernel's cryptography",
    'reaches(41, 38, 5, 0); socket.socket(38, 5).close()',
    { mayFail: BUILT },
  ],
  [
    'N10.machine',
    'creates a vsock socket',
    'socket.socket(40, socket.SOCK_STREAM).close()',
    { mayFail: BUILT },
  ],
  [
    'N10.rare',
    'creates a socket of any rare family',
    'got = []\nfor family in set(range(3, 50)) - {10}:\n    for kind in (1, 2, 3, 5):\n        try: socket.socket(family, kind).close(); got.append(family)\n        except OSError: pass\nexpects(got)',
  ],
  [
    'N10.pair',
    'creates a socket pair of a rare family',
    'pair = (ctypes.c_int * 2)(); reaches(53, 30, 1, 0, pair)',
    { mayFail: BUILT },
  ],
  ['N10.high', 'creates a rare socket with high bits set', 'call(41, (1 << 32) | 16, 3, 0)'],
  [
    'N10.sctp',
    'makes the kernel load a rare protocol',
    'got = []\nfor kind, protocol in ((1, 132), (5, 132), (2, 136), (1, 262), (6, 33)):\n    try: socket.socket(socket.AF_INET, kind, protocol).close(); got.append(protocol)\n    except OSError: pass\nexpects(got)',
    { mayFail: BUILT },
  ],
  [
    'N11.abstract',
    'reaches an abstract socket of the host',
    'connect(socket.AF_UNIX, "\\0" + HOST_SOCKET)',
  ],
  [
    'N11.file',
    'reaches a socket file of the host',
    'connect(socket.AF_UNIX, HOST_DIR + "/socket")',
  ],
  [
    'N11.list',
    'lists the sockets of the host',
    'expects(HOST_SOCKET.encode() in slurp("/proc/net/unix"))',
  ],
  [
    'N12.ports',
    'lists the ports of the host',
    'expects(b"%04X" % HOST_PORT in slurp("/proc/net/tcp"))',
  ],
  [
    'N12.links',
    'lists an interface of the host',
    'expects([name for _, name in socket.if_nameindex() if name != "lo"])',
    { mayFail: 'the machine may have only lo' },
  ],
  [
    'N28.port',
    'shares the ports of the host',
    's = socket.socket()\ntry: s.bind(("0.0.0.0", HOST_PORT))\nexcept OSError as error:\n    if error.errno != 98: raise\nelse: raise Held("the port is free here")',
  ],
])
