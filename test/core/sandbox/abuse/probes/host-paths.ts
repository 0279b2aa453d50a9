import { createProbes } from '../case.ts'

/** Reads every file of this name of every process and thread. */
const READ_ALL = (name: string) => `
import glob
texts = {}
for path in glob.glob("/proc/[0-9]*/${name}") + glob.glob("/proc/[0-9]*/task/*/${name}"):
    try:
        texts[path] = slurp(path).decode("utf-8", "replace")
    except OSError:
        pass
`

/** Paths and names of the host in files that each process has, so that no mount can cover them. */
export const HOST_PATHS = createProbes('mounts', [
  [
    'I4.group',
    'reads the path of a control group of the host',
    `${READ_ALL('cgroup')}expects([path for path, text in texts.items() if [each for each in text.splitlines() if each.split(":", 2)[2] != "/"]])`,
    { mayFail: 'all processes may be in the topmost group' },
  ],
  [
    'I4.cpus',
    'reads the path of a processor set of the host',
    `${READ_ALL('cpuset')}expects([path for path, text in texts.items() if text.strip() != "/"])`,
    { mayFail: 'all processes may be in the topmost set' },
  ],
  [
    'I4.mounts',
    "reads paths or disks of the host in any process's list of mounts",
    `${READ_ALL('mountinfo')}
names = [os.path.dirname(HOST_DIR), "skills-runs", "/tools/"]
lines = [line for text in texts.values() for line in text.splitlines()]
disks = [line for line in lines if line.partition(" - ")[2].split(" ")[1].startswith("/dev/")]
expects(disks or [name for name in names for line in lines if name in line])`,
    { mayFail: 'the machine may have no disk' },
  ],
])
