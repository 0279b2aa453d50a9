const DAY = 86_400_000
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
