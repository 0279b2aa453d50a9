import { createProbes } from '../case.ts'

const BUILT = 'the kernel may be built without it'
const NEW = 'the kernel may be older than the call'
const loose = { control: 'loose' } as const

/** Called by number: a missing function in the C library is no protection. */
export const KERNEL = createProbes('system calls', [
  ['F11.mount', 'mounts', 'failing(libc.mount(b"none", b"/mnt", b"tmpfs", 0, None))', loose],
  [
    'F11.bind',
    'mounts a folder over another',
    'failing(libc.mount(b"/usr", b"/mnt", None, 4096, None))',
    loose,
  ],
  [
    'F11.writable',
    'makes a mount writable',
    'reaches(165, None, b"/usr", None, 32 | 4096, None)',
    loose,
  ],
  [
    'F11.propagate',
    'changes the propagation of mounts',
    'failing(libc.mount(None, b"/", None, 1 << 19, None))',
    loose,
  ],
  ['F11.unmount', 'unmounts a folder', 'reaches(166, b"/dev/shm", 2)', loose],
  ['F13.open', 'opens a file by its handle', 'reaches(304, -1, None, 0)'],
  ['F13.name', 'requests the handle of a file', 'reaches(303, -1, b"", None, None, 0)'],
  ['F14.tree', 'copies a mount tree', 'reaches(428, -1, b"", 0)'],
  ['F14.move', 'moves a mount', 'reaches(429, -1, b"", -1, b"", 0)'],
  ['F14.fsopen', 'opens a file system', 'os.close(call(430, b"tmpfs", 0))'],
  ['F14.config', 'configures a file system', 'reaches(431, -1, 0, None, None, 0)'],
  ['F14.fsmount', 'mounts a file system by descriptor', 'reaches(432, -1, 0, 0)'],
  ['F14.pick', 'picks a file system', 'reaches(433, -1, b"", 0)'],
  ['F14.attributes', 'changes attributes of mounts', 'reaches(442, -1, b"", 0, None, 0)'],
  [
    'F14.tree-attributes',
    'copies a mount tree with attributes',
    'reaches(467, -1, b"", 0, None, 0)',
    { mayFail: NEW },
  ],
  ['F14.list', 'lists mounts by system call', 'reaches(458, None, None, 0, 0)', { mayFail: NEW }],
  ['F14.state', 'reads the state of a mount', 'reaches(457, None, None, 0, 0)', { mayFail: NEW }],
  ['F17.root', 'changes its root', 'os.chroot("/tmp")'],
  ['F17.pivot', 'pivots its root', 'reaches(155, b"/nowhere", b"/nowhere")'],
  [
    'P6.attach',
    'traces a process of its own',
    'child = child_of_own()\ntry: failing(libc.ptrace(16, child, None, None))\nfinally: os.kill(child, 9)',
  ],
  [
    'P6.seize',
    'seizes a process of its own',
    'child = child_of_own()\ntry: failing(libc.ptrace(0x4206, child, None, None))\nfinally: os.kill(child, 9)',
  ],
  ['P6.me', 'asks to be traced', 'failing(libc.ptrace(0, 0, None, None))'],
  [
    'P6.read',
    "reads another process's memory by system call",
    'reaches(310, os.getpid(), None, 0, None, 0, 0)',
  ],
  [
    'P6.write',
    "writes another process's memory by system call",
    'reaches(311, os.getpid(), None, 0, None, 0, 0)',
  ],
  ['P6.advise', "advises on another process's memory", 'reaches(440, -1, None, 0, 0, 0)'],
  ['P6.descriptor', 'takes a descriptor of another process', 'reaches(438, -1, 0, 0)'],
  [
    'P6.compare',
    'compares processes',
    'reaches(312, os.getpid(), os.getpid(), 2, 0, 0)',
    { mayFail: BUILT },
  ],
  ['P6.release', "frees another process's memory", 'reaches(448, -1, 0)', { mayFail: NEW }],
  ['P11.add', 'adds a key', 'call(248, b"user", b"skills-abuse-own", b"x", 1, -2)'],
  ['P11.request', 'requests a key', 'call(249, b"user", b"skills-abuse", None, 0)'],
  [
    'P11.session',
    "reads a key of the caller's session",
    'key = call(250, 10, -3, b"user", b"skills-abuse", 0); buffer = ctypes.create_string_buffer(64); expects(call(250, 11, key, buffer, 64) == 11)',
  ],
  ['P11.join', 'joins another keyring', 'call(250, 1, None)'],
  ['P11.user', 'opens the keyring of its user', 'call(250, 0, -4, 1)'],
  ['P11.list', "sees the caller's keys", 'expects(b"skills-abuse" in slurp("/proc/keys"))'],
  [
    'P13.map',
    'creates a BPF map',
    'call(321, 0, struct.pack("IIII", 2, 4, 4, 1) + bytes(112), 128)',
    { mayFail: BUILT },
  ],
  ['P13.program', 'loads a BPF program', 'reaches(321, 5, bytes(128), 128)', { mayFail: BUILT }],
  ['P13.events', 'opens a performance counter of the machine', 'reaches(298, None, 0, -1, -1, 0)'],
  ['P13.faults', 'handles page faults', 'os.close(call(323, 0))'],
  ['P13.user-faults', 'handles its own page faults', 'os.close(call(323, 1))'],
  ['P13.ring', 'sets up an io_uring', 'reaches(425, 0, None)'],
  ['P13.enter', 'enters an io_uring', 'reaches(426, -1, 0, 0, 0, None, 0)'],
  ['P13.register', 'registers with an io_uring', 'reaches(427, -1, 0, None, 0)'],
  [
    'P13.aio',
    "takes from the machine's asynchronous requests",
    'context = ctypes.c_ulong(0); call(206, 1024, ctypes.byref(context)); call(207, context)',
  ],
  ['P13.aio-end', 'ends a context of asynchronous requests', 'reaches(207, 0)'],
  ['P13.aio-events', 'reads asynchronous events', 'reaches(208, 0, 0, 0, None, None)'],
  ['P13.aio-submit', 'submits asynchronous requests', 'reaches(209, 0, 0, None)'],
  ['P13.aio-cancel', 'cancels an asynchronous request', 'reaches(210, 0, None, None)'],
  [
    'P13.aio-signals',
    'reads asynchronous events under a signal mask',
    'reaches(333, 0, 0, 0, None, None, None)',
  ],
  ['P13.policy', 'sets a memory policy', 'reaches(238, 99, None, 0)', { mayFail: BUILT }],
  [
    'P13.bind',
    'binds its memory to a node',
    'reaches(237, 0, 0, 99, None, 0, 0)',
    { mayFail: BUILT },
  ],
  ['P13.pages', 'maps pages out of order', 'reaches(216, 1, 1, 1, 1, 1)'],
  ['P13.splice', 'moves its pages into a pipe', 'reaches(278, -1, None, 1, 0)'],
  [
    'P18.walls',
    'has all 16 layers of Landlock for itself: no second wall stands around its files',
    `child = os.fork()
if child == 0:
    layers = 0
    libc.prctl(38, 1, 0, 0, 0)
    while layers < 16:
        rules = libc.syscall(444, (0x3FFF).to_bytes(8, "little"), 8, 0)
        if rules < 0 or libc.syscall(446, rules, 0) != 0: break
        os.close(rules)
        layers += 1
    os._exit(0 if layers == 16 else 1)
expects(os.waitpid(child, 0)[1] == 0)`,
    { mayFail: NEW },
  ],
  ['P13.watch', 'watches a whole file system', 'reaches(300, 0, 0)'],
  ['P13.mark', 'marks a file for fanotify', 'reaches(301, -1, 0, 0, 0, -1, None)'],
  ...[
    'MNT 0x20000',
    'CGROUP 0x2000000',
    'UTS 0x4000000',
    'IPC 0x8000000',
    'USER 0x10000000',
    'PID 0x20000000',
    'NET 0x40000000',
    'TIME 0x80',
  ].flatMap((each) => {
    const [name = '', flag = ''] = each.split(' ')
    const low = name.toLowerCase()
    const unshare = [
      `P14.unshare-${low}`,
      `leaves the ${low} namespace`,
      `call(272, ${flag})`,
      loose,
    ] as const
    if (name === 'TIME') return [unshare]
    const clone = `child = call(56, ${flag} | 17, None, None, None, None)\nif child == 0: os._exit(0)\nos.waitpid(child, 0)`
    return [
      unshare,
      [`P14.clone-${low}`, `clones into a new ${low} namespace`, clone, loose] as const,
    ]
  }),
  [
    'P14.high',
    'clones with high bits set',
    'child = call(56, (1 << 32) | 0x10000000 | 17, None, None, None, None)\nif child == 0: os._exit(0)\nos.waitpid(child, 0)',
    loose,
  ],
  [
    'P14.unshare-high',
    'leaves a namespace with high bits set',
    'reaches(272, (1 << 32) | 0x10000000)',
    loose,
  ],
  [
    'P14.clone-parent',
    'creates a sibling process',
    'if call(56, 0x8000 | 17, None, None, None, None) == 0: os._exit(0)',
  ],
  ['P14.clone3', 'clones with clone3', 'reaches(435, None, 0)'],
  ['P14.enter', 'enters a namespace', 'reaches(308, -1, 0)'],
  [
    'P14.again',
    'enters its own namespace by its handle',
    'reaches(308, os.pidfd_open(os.getpid()), 0x4000000)',
    loose,
  ],
  ['P16.x32', 'uses system call numbers of x32', 'libc.syscall(ctypes.c_long(0x40000000 + 39))'],
  [
    'P16.x32-high',
    'uses the last system call numbers of x32',
    'libc.syscall(ctypes.c_long(0x40000000 + 520))',
  ],
  [
    'P16.i386',
    'uses system call numbers of i386',
    'run_machine_code(bytes.fromhex("b814000000cd80c3"))',
    { mayFail: BUILT },
  ],
  [
    'P16.unknown',
    'reaches a system call that is newer than the filter',
    'try: call(480)\nexcept OSError as error: expects(error.errno != 38)',
    { mayFail: NEW },
  ],
  ['P17.type', 'types into the terminal', 'reaches(16, 0, 0x5412, None)'],
  [
    'P17.type-high',
    'types into the terminal with high bits set',
    'reaches(16, 0, (1 << 32) | 0x5412, None)',
  ],
  ['P17.console', 'pastes into the console', 'reaches(16, 0, 0x541C, None)'],
  [
    'P17.console-high',
    'pastes into the console with high bits set',
    'reaches(16, 0, (7 << 32) | 0x541C, None)',
  ],
  ['P17.discipline', 'changes the line discipline', 'reaches(16, 0, 0x5423, None)'],
  ['P19.sysctl', 'writes a kernel setting', 'rewrite("/proc/sys/vm/swappiness")'],
  ['P19.core', 'sets the handler of core dumps', 'open_to_write("/proc/sys/kernel/core_pattern")'],
  [
    'P19.modprobe',
    'sets the loader of modules',
    'open_to_write("/proc/sys/kernel/modprobe")',
    { mayFail: BUILT },
  ],
  [
    'P19.request',
    'opens sysrq-trigger for writing',
    'open_to_write("/proc/sysrq-trigger")',
    { mayFail: BUILT },
  ],
  [
    'P19.formats',
    'registers a binary format',
    'open_to_write("/proc/sys/fs/binfmt_misc/register")',
    { mayFail: 'it may not be mounted' },
  ],
  [
    'P19.events',
    'sets the handler of kernel events',
    'open_to_write("/sys/kernel/uevent_helper")',
    { mayFail: BUILT },
  ],
  [
    'P19.names',
    'changes the process limit of the host',
    'open_to_write("/proc/sys/kernel/pid_max")',
  ],
  [
    'P19.interrupts',
    'moves interrupts',
    'open_to_write("/proc/irq/default_smp_affinity")',
    { mayFail: BUILT },
  ],
  ['P20.log', "reads the kernel's log", 'call(103, 3, ctypes.create_string_buffer(64), 64)'],
  [
    'P20.symbols',
    'reads kernel addresses',
    'expects(any(int(line.split()[0], 16) for line in slurp("/proc/kallsyms").splitlines()[:50]))',
    { mayFail: BUILT },
  ],
  [
    'P20.core',
    "opens the kernel's memory",
    'os.close(os.open("/proc/kcore", os.O_RDONLY))',
    { mayFail: BUILT },
  ],
  [
    'P20.timers',
    "reads the kernel's timers",
    'expects(slurp("/proc/timer_list", 64))',
    { mayFail: BUILT },
  ],
  [
    'P20.memory',
    'reads the physical pages of its memory',
    'f = open("/proc/self/pagemap", "rb"); b = bytearray(4096); f.seek(ctypes.addressof((ctypes.c_char * 1).from_buffer(b)) // 4096 * 8); expects(struct.unpack("Q", f.read(8))[0] & ((1 << 55) - 1))',
  ],
  ['P20.slabs', "reads the kernel's slabs", 'slurp("/proc/slabinfo", 64)', { mayFail: BUILT }],
  [
    'P20.cache',
    'queries the page cache of a file',
    'reaches(451, -1, None, None, 0)',
    { mayFail: NEW },
  ],
  [
    'P22.lock',
    'locks memory beyond its limit',
    'size = 256 << 20; page = mmap.mmap(-1, size, flags=0x22); failing(libc.mlock(ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(page))), ctypes.c_size_t(size)))',
  ],
  ['P22.secret', 'creates secret memory', 'reaches(447, 0)', { mayFail: BUILT }],
  [
    'P22.move',
    'moves memory between nodes',
    'reaches(279, 0, 0, None, None, None, 0)',
    { mayFail: BUILT },
  ],
  [
    'P22.migrate',
    'migrates memory between nodes',
    'reaches(256, 0, 0, None, None)',
    { mayFail: BUILT },
  ],
  [
    'P22.huge-map',
    'maps huge pages, which its memory limit does not count',
    'mmap.mmap(-1, 2 << 20, flags=0x4000 | 0x40000 | 0x22)',
    { mayFail: BUILT },
  ],
  [
    'P22.huge-size',
    'maps huge pages of another size',
    'mmap.mmap(-1, 1 << 30, flags=(30 << 26) | 0x4000 | 0x40000 | 0x22)',
    { mayFail: BUILT },
  ],
  [
    'P22.huge-file',
    'creates a file of huge pages',
    'os.close(call(319, b"x", 4))',
    { mayFail: BUILT },
  ],
  [
    'P22.huge',
    'allocates huge pages',
    'failing(libc.shmget(0, 2 << 20, 0o4000 | 0o1600))',
    { mayFail: 'the host may have none' },
  ],
  ['P23.reboot', 'restarts the machine', 'reaches(169, 0, 0, 0, None)', loose],
  ['P23.kexec', 'loads another kernel', 'reaches(246, 0, 99, None, 0xFFFF)', { mayFail: BUILT }],
  [
    'P23.kexec-file',
    'loads another kernel from a file',
    'reaches(320, -1, -1, 0, None, 0xFFFF)',
    { mayFail: BUILT },
  ],
  ['P23.module', 'loads a module', 'reaches(175, None, 0, b"")', { mayFail: BUILT }],
  ['P23.module-file', 'loads a module from a file', 'reaches(313, -1, b"", 0)', { mayFail: BUILT }],
  ['P23.unload', 'unloads a module', 'reaches(176, b"skills-abuse", 0)', { mayFail: BUILT }],
  ['P23.swap', 'adds swap', 'reaches(167, b"/nowhere", 0)', { mayFail: BUILT }],
  ['P23.unswap', 'turns swap off', 'reaches(168, b"/nowhere")', { mayFail: BUILT }],
  ['P23.time', 'sets the time', 'reaches(164, None, b"bad")'],
  ['P23.clock', 'sets a clock', 'reaches(227, 99, None)'],
  ['P23.adjust', 'adjusts a clock', 'reaches(305, 99, None)'],
  ['P23.adjust-time', 'adjusts the time', 'reaches(159, struct.pack("I", 0x4000) + bytes(300))'],
  ['P23.account', 'accounts processes', 'reaches(163, b"/nowhere")', { mayFail: BUILT }],
  [
    'P23.quota',
    'sets quotas',
    'reaches(179, 0x80000100, b"/nowhere", 0, None)',
    { mayFail: BUILT },
  ],
  [
    'P23.quota-file',
    'sets quotas by descriptor',
    'reaches(443, -1, 0, 0, None)',
    { mayFail: BUILT },
  ],
  ['P23.ports', 'opens I/O ports of the machine', 'reaches(173, 0, 0, 1)', { mayFail: BUILT }],
  ['P23.level', 'raises its I/O privilege level', 'reaches(172, 9)', { mayFail: BUILT }],
  ['P23.name', 'sets the host name', 'socket.sethostname("skills-abuse")', loose],
  ['P23.domain', 'sets the domain name', 'failing(libc.setdomainname(b"x", 1))', loose],
  ['P23.hang-up', 'hangs the terminal up', 'reaches(153)', loose],
  ['P29.persona', 'changes its personality', 'call(135, 0x0040000)'],
  ['P29.table', 'changes its segment table', 'reaches(154, 99, None, 0)', { mayFail: BUILT }],
  ['P29.library', 'loads a library with uselib', 'reaches(134, b"/nowhere")', { mayFail: BUILT }],
])
