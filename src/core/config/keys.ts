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

export const BACKEND_CHOICES = ['auto', 'bubblewrap', 'container', 'process'] as const
const PROFILE_CHOICES = ['agent-skills', 'mcp', 'openai', 'claude-api'] as const

export const CONFIG_KEYS: readonly ConfigKey[] = [
  createSetting('roots', ['roots'], 'paths', 'Folders to look for skills in, strongest first', []),
  createSetting(
    'directories.data',
    ['directories', 'data'],
    'path',
    "Blobs, run records and the user's own skills",
    undefined,
  ),
  createSetting(
    'directories.cache',
    ['directories', 'cache'],
    'path',
    'What may be deleted at any time',
    undefined,
  ),
  createSetting(
    'lint.rules',
    ['lint', 'rules'],
    'rules',
    'Severity by rule or area: error, warning, info or off',
    {},
  ),
  createSetting(
    'lint.overrides',
    ['lint', 'overrides'],
    'overrides',
    'Severities for paths that match a glob',
    [],
  ),
  createSetting(
    'lint.ignore',
    ['lint', 'ignore'],
    'texts',
    'Globs of files and folders that are not checked',
    [],
  ),
  {
    ...createSetting(
      'lint.profiles',
      ['lint', 'profiles'],
      'texts',
      'Hosts whose limits a skill must respect',
      ['agent-skills', 'mcp'],
    ),
    choices: PROFILE_CHOICES,
  },
  {
    ...createSetting('run.backend', ['run', 'backend'], 'text', 'What isolates a run', 'auto'),
    choices: BACKEND_CHOICES,
  },
  {
    ...createSetting(
      'run.container.engine',
      ['run', 'container', 'engine'],
      'text',
      'What starts containers, where the backend is container',
      'auto',
    ),
    choices: ['auto', 'docker', 'podman'],
  },
  createSetting(
    'run.container.image',
    ['run', 'container', 'image'],
    'text',
    "An image with Python that is there already; without one, the host's /usr is used",
    undefined,
  ),
  {
    ...createSetting(
      'run.require_isolation',
      ['run', 'requireIsolation'],
      'text',
      'Refuse to run with less than this',
      'any',
    ),
    choices: ['any', 'strict'],
  },
  createSetting(
    'run.strict_protocol',
    ['run', 'strictProtocol'],
    'flag',
    'Nothing that the Skills Protocol does not know: run_code takes Python only',
    false,
  ),
  createSetting(
    'run.warm',
    ['run', 'warm'],
    'flag',
    'A server forks runs from a process that it keeps at hand',
    true,
  ),
  createSetting(
    'run.python',
    ['run', 'python'],
    'path',
    'The interpreter for Python skills; found on PATH unless given',
    undefined,
  ),
  createSetting(
    'run.timeout',
    ['run', 'timeoutMs'],
    'duration',
    'Wall-clock time of a run that asks for none',
    300_000,
  ),
  createSetting(
    'run.max_timeout',
    ['run', 'maxTimeoutMs'],
    'duration',
    'The longest timeout that a caller may ask for',
    600_000,
  ),
  createSetting(
    'run.compile_timeout',
    ['run', 'compileTimeoutMs'],
    'duration',
    'Time to compile code of runtime.execute, beside the time to run it',
    120_000,
  ),
  createSetting(
    'run.environment',
    ['run', 'environment'],
    'texts',
    'Environment variables handed through to every run, by name',
    [],
  ),
  createSetting(
    'run.network.allow_private',
    ['run', 'network', 'allowPrivate'],
    'texts',
    'Hosts, addresses or ranges, perhaps with a port, that runs may reach although they are private',
    [],
  ),
  createSetting(
    'run.code_inherits_permissions',
    ['run', 'codeInheritsPermissions'],
    'flag',
    'Give run_code the network and secrets of the skills that it mounts',
    false,
  ),
  createSetting(
    'run.limits.cpu_time',
    ['run', 'limits', 'cpuMs'],
    'duration',
    'Processor time of a run; of each of its processes where no control group counts it',
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
    'Memory of all runs on this machine together; three quarters of what it has unless given',
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
    'Files and folders in all that a run can write to',
    65_536,
  ),
  createSetting(
    'run.limits.output',
    ['run', 'limits', 'outputBytes'],
    'bytes',
    'What a run may print',
    8 * MIB,
  ),
  createSetting(
    'run.limits.blobs',
    ['run', 'limits', 'blobBytes'],
    'bytes',
    'Size of all blobs that one run makes',
    4 * GIB,
  ),
  createSetting(
    'secrets.file',
    ['secrets', 'file'],
    'path',
    'A file of NAME=value lines from which secrets are taken',
    undefined,
  ),
  createSetting(
    'fast_paths',
    ['fastPaths'],
    'flag',
    'Quicker ways to the same answers, warm runs included; false answers everything the general way',
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
