import { EVAL_KEYS } from './eval-keys.ts'
import { FLEET_KEYS } from './fleet-keys.ts'
import { INSTALL_KEYS } from './install-keys.ts'
import { KERNEL_KEYS } from './kernel-keys.ts'
import { LIMIT_KEYS } from './limit-keys.ts'
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
  | 'roots'
  | 'sources'
  | 'flag'
  | 'flag or choice'
  | 'count'
  | 'count or 0'
  | 'bytes'
  | 'duration'
  | 'rules'
  | 'overrides'
  | 'repositories'
  | 'files'
  | 'commands'
  | 'toolchains'
  | 'caches'

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
  /** Pattern of the text, or of each text of a list. */
  format?: { pattern: RegExp; expected: string }
  default: unknown
}

export const BACKEND_CHOICES = ['auto', 'namespaces', 'bubblewrap', 'container', 'process'] as const

export const CONFIG_KEYS: readonly ConfigKey[] = [
  createSetting(
    'roots',
    ['roots'],
    'roots',
    'Folders, and sources of skills such as github:owner/repo, that are searched for skills, highest precedence first',
    [],
  ),
  createSetting(
    'indexes',
    ['indexes'],
    'sources',
    'Sites, and folders or files of sites, that "skills search" asks',
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
  ...INSTALL_KEYS,
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
  {
    ...createSetting(
      'run.container.runtime',
      ['run', 'container', 'runtime'],
      'text',
      "Program that starts a container (default: the engine's own; runsc: gVisor, whose kernel runs between a run and the host's; selects the container backend if run.backend is auto)",
      'default',
    ),
    choices: ['default', 'runsc'],
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
  {
    ...createSetting(
      'run.scope',
      ['run', 'scope'],
      'text',
      'Source of the control groups of a user other than root: systemd starts each command that runs skills in a delegated scope',
      'none',
    ),
    choices: ['none', 'systemd'],
  },
  createSetting(
    'run.strict_protocol',
    ['run', 'strictProtocol'],
    'flag',
    'Disable extensions of the Skills Protocol: run_code accepts Python only',
    false,
  ),
  {
    ...createSetting(
      'run.warm',
      ['run', 'warm'],
      'flag or choice',
      'Let a server fork runs from a process that it keeps running; "aslr" gives each fork an address-space layout of its own, by starting its interpreter again',
      true,
    ),
    choices: ['true', 'false', 'aslr'],
  },
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
    'run.toolchains',
    ['run', 'toolchains'],
    'flag',
    "Let runs with a repository see the user's toolchains and package caches, read-only",
    true,
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
    'run.kill_grace',
    ['run', 'killGraceMs'],
    'duration',
    'Time from SIGTERM to SIGKILL for a program at its timeout or cancellation',
    2000,
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
  ...LIMIT_KEYS,
  createSetting(
    'toolchains',
    ['toolchains'],
    'toolchains',
    "Folders with programs that runs with a repository see read-only, only in the user's configuration",
    [],
  ),
  createSetting(
    'caches',
    ['caches'],
    'caches',
    "Folders that runs with a repository see read-only, only in the user's configuration",
    [],
  ),
  createSetting(
    'redaction.defaults',
    ['redaction', 'defaults'],
    'flag',
    'Mask well-known shapes of tokens, keys and passwords in all output of runs',
    true,
  ),
  createSetting(
    'redaction.patterns',
    ['redaction', 'patterns'],
    'texts',
    'Regular expressions of more text to mask, without back-references and lookaround',
    [],
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
  ...EVAL_KEYS,
  ...POLICY_KEYS,
  ...KERNEL_KEYS,
  ...WORKSPACE_KEYS,
  ...SERVE_KEYS,
  ...FLEET_KEYS,
]

/** Types that a variable cannot hold. */
const STRUCTURED_TYPES: ReadonlySet<KeyType> = new Set([
  'rules',
  'overrides',
  'repositories',
  'files',
  'commands',
  'toolchains',
  'caches',
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
