import { LINT_KEYS } from './lint-keys.ts'
import { POLICY_KEYS } from './policy-keys.ts'
import { SERVE_KEYS } from './serve-keys.ts'
import { STORE_KEYS } from './store-keys.ts'
import { WORKSPACE_KEYS } from './workspace-keys.ts'

/** Notation of a value in a file, an environment variable or a flag. */
export type KeyType =
  | 'text'
  | 'texts'
  | 'path'
  | 'paths'
  | 'flag'
  | 'count'
  | 'bytes'
  | 'duration'
  | 'rules'
  | 'overrides'
  | 'repositories'
  | 'files'
  | 'commands'

/**
 * One setting. This table defines the parser, the origins, the JSON Schema and the documentation.
 */
export interface ConfigKey {
  /** Key in the file: `run.limits.memory`. */
  key: string
  /** Path in Config. */
  field: readonly string[]
  type: KeyType
  description: string
  choices?: readonly string[]
  default: unknown
}

const MIB = 1024 ** 2
const GIB = 1024 ** 3

export const BACKEND_CHOICES = ['auto', 'namespaces', 'bubblewrap', 'container', 'process'] as const

export const CONFIG_KEYS: readonly ConfigKey[] = [
  createSetting(
    'roots',
    ['roots'],
    'paths',
    'Folders that are searched for skills, highest precedence first',
    [],
  ),
  createSetting(
    'directories.data',
    ['directories', 'data'],
    'path',
    "Folder for blobs, run records and the user's skills",
    undefined,
  ),
  createSetting(
    'directories.cache',
    ['directories', 'cache'],
    'path',
    'Folder for content that may be deleted at any time',
    undefined,
  ),
  ...LINT_KEYS,
  {
    ...createSetting(
      'run.backend',
      ['run', 'backend'],
      'text',
      'Isolation backend of runs (auto: namespaces on Linux, container elsewhere)',
      'auto',
    ),
    choices: BACKEND_CHOICES,
  },
  {
    ...createSetting(
      'run.container.engine',
      ['run', 'container', 'engine'],
      'text',
      'Container engine, for the container backend',
      'auto',
    ),
    choices: ['auto', 'docker', 'podman'],
  },
  createSetting(
    'run.container.image',
    ['run', 'container', 'image'],
    'text',
    "Local image with Python (default: the host's /usr, or python:3.13-slim where the host is not Linux)",
    undefined,
  ),
  {
    ...createSetting(
      'run.require_isolation',
      ['run', 'requireIsolation'],
      'text',
      'Minimum isolation; runs with less are rejected',
      'any',
    ),
    choices: ['any', 'strict'],
  },
  createSetting(
    'run.strict_protocol',
    ['run', 'strictProtocol'],
    'flag',
    'Disable extensions of the Skills Protocol: run_code accepts Python only',
    false,
  ),
  createSetting(
    'run.warm',
    ['run', 'warm'],
    'flag',
    'Let a server fork runs from a process that it keeps running',
    true,
  ),
  createSetting(
    'run.python',
    ['run', 'python'],
    'path',
    'Interpreter for Python skills (default: the one on PATH)',
    undefined,
  ),
  createSetting(
    'run.host_packages',
    ['run', 'hostPackages'],
    'flag',
    'Let runs use the Python and Node packages that are installed on this machine',
    false,
  ),
  createSetting(
    'run.timeout',
    ['run', 'timeoutMs'],
    'duration',
    'Wall-clock limit of a run without its own timeout',
    300_000,
  ),
  createSetting(
    'run.max_timeout',
    ['run', 'maxTimeoutMs'],
    'duration',
    'Longest timeout that a caller may request',
    600_000,
  ),
  createSetting(
    'run.compile_timeout',
    ['run', 'compileTimeoutMs'],
    'duration',
    'Time to compile code of runtime.execute, in addition to the run time',
    120_000,
  ),
  createSetting(
    'run.environment',
    ['run', 'environment'],
    'texts',
    'Names of environment variables passed to every run',
    [],
  ),
  createSetting(
    'run.network.allow_private',
    ['run', 'network', 'allowPrivate'],
    'texts',
    'Hosts, addresses or ranges with private or own addresses that runs may reach, optionally with a port',
    [],
  ),
  createSetting(
    'run.code_inherits_permissions',
    ['run', 'codeInheritsPermissions'],
    'flag',
    'Let run_code use the network and secrets of the skills that it mounts',
    false,
  ),
  createSetting(
    'run.limits.cpu_time',
    ['run', 'limits', 'cpuMs'],
    'duration',
    'CPU time of a run, or of each of its processes without a control group',
    300_000,
  ),
  createSetting(
    'run.limits.memory',
    ['run', 'limits', 'memoryBytes'],
    'bytes',
    'Memory of all processes of a run, its files in memory included',
    512 * MIB,
  ),
  createSetting(
    'run.limits.total_memory',
    ['run', 'limits', 'totalMemoryBytes'],
    'bytes',
    "Memory of all runs on this machine (default: three quarters of the machine's memory)",
    undefined,
  ),
  createSetting(
    'run.limits.processes',
    ['run', 'limits', 'processes'],
    'count',
    'Processes and threads of a run',
    64,
  ),
  createSetting(
    'run.limits.open_files',
    ['run', 'limits', 'openFiles'],
    'count',
    'Open files of each process',
    256,
  ),
  createSetting(
    'run.limits.workspace',
    ['run', 'limits', 'workspaceBytes'],
    'bytes',
    'Size of /workspace',
    256 * MIB,
  ),
  createSetting(
    'run.limits.inodes',
    ['run', 'limits', 'inodes'],
    'count',
    'Files and folders in all writable locations of a run',
    65_536,
  ),
  createSetting(
    'run.limits.output',
    ['run', 'limits', 'outputBytes'],
    'bytes',
    'Output of a run',
    8 * MIB,
  ),
  createSetting(
    'run.limits.network_bytes',
    ['run', 'limits', 'networkBytes'],
    'bytes',
    'Bytes that a run sends and receives over its network, in both directions together',
    GIB,
  ),
  createSetting(
    'run.limits.blobs',
    ['run', 'limits', 'blobBytes'],
    'bytes',
    'Size of all blobs that one run creates',
    4 * GIB,
  ),
  createSetting(
    'secrets.file',
    ['secrets', 'file'],
    'path',
    'File of NAME=value lines with secrets',
    undefined,
  ),
  createSetting(
    'fast_paths',
    ['fastPaths'],
    'flag',
    'Allow faster paths to the same results, warm runs included; false uses the general path only',
    true,
  ),
  ...STORE_KEYS,
  ...POLICY_KEYS,
  ...WORKSPACE_KEYS,
  ...SERVE_KEYS,
]

/** Types that a variable cannot hold. */
const STRUCTURED_TYPES: ReadonlySet<KeyType> = new Set([
  'rules',
  'overrides',
  'repositories',
  'files',
  'commands',
])

/**
 * Variable that sets a key: `run.timeout` is SKILLS_RUN_TIMEOUT; roots are a path list in
 * SKILLS_PATH.
 */
export function getVariableName({ key, type }: ConfigKey): string | undefined {
  if (key === 'roots') return 'SKILLS_PATH'
  if (STRUCTURED_TYPES.has(type)) return undefined
  return `SKILLS_${key.toUpperCase().replaceAll('.', '_')}`
}

// eslint-disable-next-line max-params -- a row of the table above reads best on one line
function createSetting(
  key: string,
  field: readonly string[],
  type: KeyType,
  description: string,
  value: unknown,
): ConfigKey {
  return { key, field, type, description, default: value }
}
