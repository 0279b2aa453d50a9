const DAY = 86_400_000
const KIB = 1024
const MIB = 1024 ** 2
const GIB = 1024 ** 3

/** Settings of agents' workspaces; one row each, as in the table of all settings. */
export const WORKSPACE_KEYS = [
  {
    key: 'workspace.skills',
    field: ['workspace', 'skills'],
    type: 'text',
    description: 'Skills in a workspace: read-only, or copies that commands may change',
    choices: ['read-only', 'copies'],
    default: 'read-only',
  },
  {
    key: 'workspace.require_load',
    field: ['workspace', 'requireLoad'],
    type: 'flag',
    description: 'Require skill_load in the same session before commands of a skill',
    default: false,
  },
  {
    key: 'workspace.host_roots',
    field: ['workspace', 'hostRoots'],
    type: 'paths',
    description: 'Local folders that host:// inputs may come from',
    default: [],
  },
  {
    key: 'workspace.allowed_commands',
    field: ['workspace', 'allowedCommands'],
    type: 'texts',
    description: 'Commands allowed in workspaces, such as "jq" or "git status" (default: any)',
    default: [],
  },
  {
    key: 'workspace.denied_commands',
    field: ['workspace', 'deniedCommands'],
    type: 'texts',
    description: 'Commands denied in workspaces, even if allowed',
    default: [],
  },
  {
    key: 'workspace.timeout',
    field: ['workspace', 'timeoutMs'],
    type: 'duration',
    description: 'Time limit of a workspace command without its own timeout',
    default: 300_000,
  },
  {
    key: 'workspace.save_outputs',
    field: ['workspace', 'saveOutputs'],
    type: 'flag',
    description: 'Store collected output files as artifacts, even without a request',
    default: false,
  },
  {
    key: 'workspace.ttl',
    field: ['workspace', 'ttlMs'],
    type: 'duration',
    description: 'Retention time of a workspace and its artifacts after their last use',
    default: 7 * DAY,
  },
  {
    key: 'workspace.quota',
    field: ['workspace', 'quotaBytes'],
    type: 'bytes',
    description: 'Size of all workspaces; beyond it the least recently used are removed',
    default: 16 * GIB,
  },
  {
    key: 'workspace.max_workspaces',
    field: ['workspace', 'maxWorkspaces'],
    type: 'count',
    description: 'Maximum of workspaces; beyond it the least recently used are removed',
    default: 1000,
  },
  {
    key: 'workspace.max_sessions',
    field: ['workspace', 'maxSessions'],
    type: 'count',
    description: 'Maximum of concurrent interactive commands of one process; more are rejected',
    default: 256,
  },
  {
    key: 'workspace.session_idle',
    field: ['workspace', 'sessionIdleMs'],
    type: 'duration',
    description: 'Idle time after which interactive commands are ended',
    default: 1_800_000,
  },
  {
    key: 'workspace.sandbox',
    field: ['workspace', 'sandbox'],
    type: 'text',
    description:
      'One living sandbox for the commands of a session (session), or one for each command (command)',
    choices: ['session', 'command'],
    default: 'session',
  },
  {
    key: 'workspace.sandbox_idle',
    field: ['workspace', 'sandboxIdleMs'],
    type: 'duration',
    description: 'Idle time after which the sandbox of a session is ended with its processes',
    default: 900_000,
  },
  {
    key: 'workspace.max_sandboxes',
    field: ['workspace', 'maxSandboxes'],
    type: 'count',
    description:
      'Maximum of living sandboxes of one process; beyond it the least recently used idle one is ended',
    default: 64,
  },
  {
    key: 'workspace.inline_output',
    field: ['workspace', 'inline', 'outputBytes'],
    type: 'bytes',
    description:
      'Output that a result of workspace_exec contains; the middle of a longer one is left out',
    default: 32 * KIB,
  },
  {
    key: 'workspace.inline_stream',
    field: ['workspace', 'inline', 'streamBytes'],
    type: 'bytes',
    description:
      'Bytes of stdout, and of stderr, that a result of skill_run or skill_exec contains',
    default: 16 * KIB,
  },
  {
    key: 'workspace.inline_primary',
    field: ['workspace', 'inline', 'primaryBytes'],
    type: 'bytes',
    description: 'Size up to which a text file of out/ is the primary output of a result',
    default: 32 * KIB,
  },
  {
    key: 'workspace.inline_file',
    field: ['workspace', 'inline', 'fileBytes'],
    type: 'bytes',
    description: 'Bytes of one output file that a result contains',
    default: 4 * MIB,
  },
  {
    key: 'workspace.inline_total',
    field: ['workspace', 'inline', 'totalBytes'],
    type: 'bytes',
    description: 'Bytes of all output files that a result contains',
    default: 64 * MIB,
  },
  {
    key: 'workspace.init',
    field: ['workspace', 'init'],
    type: 'commands',
    description:
      'Commands that run once in each new workspace; if one fails, the workspace is not created',
    default: [],
  },
  {
    key: 'workspace.files',
    field: ['workspace', 'files'],
    type: 'files',
    description: 'Files that every workspace contains before a command runs there',
    default: [],
  },
  {
    key: 'workspace.commands',
    field: ['workspace', 'commands'],
    type: 'commands',
    description: 'Commands that must succeed in a workspace before any other command runs there',
    default: [],
  },
] as const
