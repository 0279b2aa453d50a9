import { createProbes } from '../case.ts'

const BUILT = 'the kernel may be built without it'
const NO_DEVICE = 'the machine may have no such device'

/** Reads every file of /proc and /sys that a run can open, except those of other processes. */
const SEARCH = `
facts = [each.encode() for each in (KERNEL_COMMAND, BOOT_ID, HOST_DIR, CANARY) if len(each) > 8]
found = []
for top in ("/proc", "/sys"):
    for folder, names, files in os.walk(top):
        if folder == "/proc":
            names[:] = [each for each in names if not each.isdigit()] + ["self"]
        for path in (os.path.join(folder, each) for each in files):
            if os.path.basename(path) in ("kmsg", "trace_pipe", "clear_refs"):
                continue
            try:
                fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            except OSError:
                continue
            try:
                text = os.read(fd, 1 << 16)
            except OSError:
                text = b""
            os.close(fd)
            found += [path for each in facts if each in text]
        if found:
            break
expects(found)
`

/** Facts about the machine that no program needs. */
export const HOST_FACTS = createProbes('processes', [
  ['I1.command', "reads the kernel's command line", 'expects(slurp("/proc/cmdline"))'],
  [
    'I1.boot',
    'reads the id that the machine has until it restarts',
    'expects(slurp("/proc/sys/kernel/random/boot_id"))',
  ],
  [
    'I1.configuration',
    "reads the kernel's configuration",
    'expects(slurp("/proc/config.gz"))',
    { mayFail: BUILT },
  ],
  [
    'I1.symbols',
    "reads the names of the kernel's functions",
    'expects(slurp("/proc/kallsyms"))',
    { mayFail: BUILT },
  ],
  ['I1.modules', 'lists the loaded modules', 'expects(slurp("/proc/modules"))', { mayFail: BUILT }],
  ['I1.zones', "reads the state of the machine's memory zones", 'expects(slurp("/proc/zoneinfo"))'],
  [
    'I2.disks',
    'counts what other programs read from disks',
    'expects(slurp("/proc/diskstats"))',
    { mayFail: NO_DEVICE },
  ],
  [
    'I2.partitions',
    'lists partitions',
    'expects(slurp("/proc/partitions"))',
    { mayFail: NO_DEVICE },
  ],
  [
    'I2.interrupts',
    'counts the interrupts of the machine',
    'expects(slurp("/proc/interrupts"))',
    { mayFail: NO_DEVICE },
  ],
  ['I2.lines', 'lists interrupt lines', 'expects(os.listdir("/proc/irq"))', { mayFail: NO_DEVICE }],
  [
    'I2.buses',
    'lists the devices of the machine',
    'expects(os.listdir("/proc/bus"))',
    { mayFail: NO_DEVICE },
  ],
  [
    'I2.disk-names',
    'lists the file systems of the machine',
    'expects(os.listdir("/proc/fs"))',
    { mayFail: NO_DEVICE },
  ],
  ['I3.search', 'finds a fact of the machine in any readable file of /proc and /sys', SEARCH],
])
