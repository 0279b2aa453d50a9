import { createProbes } from '../case.ts'

/** Secrets of the caller's process. */
export const SECRETS = createProbes('secrets', [
  [
    'S1.environment',
    'has a variable of the caller',
    'expects(CANARY in " ".join(os.environ.values()))',
  ],
  [
    'S1.list',
    'has a variable that was not granted',
    'expects(set(os.environ) - {"PATH", "HOME", "TMPDIR", "LANG", "LD_LIBRARY_PATH", "LC_CTYPE"})',
  ],
  [
    'S2.self',
    'finds a variable of the caller in its initial environment',
    'expects(CANARY.encode() in slurp("/proc/self/environ"))',
  ],
])

/** The same secrets in other processes and in files. */
export const SECRETS_OF_OTHERS = [
  ...createProbes('processes', [
    [
      'S2.parent',
      "finds a variable of the caller in its parent's environment",
      'expects(CANARY.encode() in slurp("/proc/%d/environ" % INIT))',
    ],
    [
      'S2.all',
      "finds a variable of the caller in any process's environment",
      'found = b""\nfor pid in os.listdir("/proc"):\n    if pid.isdigit():\n        try: found += slurp("/proc/%s/environ" % pid)\n        except OSError: pass\nexpects(CANARY.encode() in found)',
    ],
  ]),
  ...createProbes('files', [
    [
      'S2.home',
      'learns the home folder of the caller',
      'expects(os.path.expanduser("~root") == "/root")',
    ],
    ['S8.names', 'finds the path of stored secrets', 'os.listdir(os.path.expanduser("~root"))'],
  ]),
]
