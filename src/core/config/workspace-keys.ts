const DAY = 86_400_000
const GIB = 1024 ** 3

/** Settings of agents' workspaces; one row each, as in the table of all settings. */
export const WORKSPACE_KEYS = [
  {
    key: 'workspace.skills',
    field: ['workspace', 'skills'],
    type: 'text',
    description: 'Skills in a workspace: read-only, or working copies that commands may change',
    choices: ['read-only', 'copies'],
    default: 'read-only',
  },
  {
    key: 'workspace.require_load',
    field: ['workspace', 'requireLoad'],
    type: 'flag',
    description: 'Run commands of a skill only after skill_load of it in the same session',
    default: false,
  },
  {
    key: 'workspace.host_roots',
    field: ['workspace', 'hostRoots'],
    type: 'paths',
    description: 'Folders of this machine from which host:// inputs may come',
    default: [],
  },
  {
    key: 'workspace.allowed_commands',
    field: ['workspace', 'allowedCommands'],
    type: 'texts',
    description:
      'Commands that may be run in workspaces, such as "jq" or "git status"; any unless given',
    default: [],
  },
  {
    key: 'workspace.denied_commands',
    field: ['workspace', 'deniedCommands'],
    type: 'texts',
    description: 'Commands that may not be run in workspaces, allowed or not',
    default: [],
  },
  {
    key: 'workspace.timeout',
    field: ['workspace', 'timeoutMs'],
    type: 'duration',
    description: 'How long a command in a workspace may take unless it says otherwise',
    default: 300_000,
  },
  {
    key: 'workspace.save_outputs',
    field: ['workspace', 'saveOutputs'],
    type: 'flag',
    description: 'Keep collected output files as artifacts, whether that was asked for or not',
    default: false,
  },
  {
    key: 'workspace.ttl',
    field: ['workspace', 'ttlMs'],
    type: 'duration',
    description: 'How long a workspace and its artifacts are kept after their last use',
    default: 7 * DAY,
  },
  {
    key: 'workspace.quota',
    field: ['workspace', 'quotaBytes'],
    type: 'bytes',
    description: 'Size of all workspaces together; beyond it those used longest ago are removed',
    default: 16 * GIB,
  },
  {
    key: 'workspace.max_workspaces',
    field: ['workspace', 'maxWorkspaces'],
    type: 'count',
    description: 'Workspaces that are kept; beyond, those used longest ago are removed',
    default: 1000,
  },
  {
    key: 'workspace.max_sessions',
    field: ['workspace', 'maxSessions'],
    type: 'count',
    description: 'Interactive commands of one process at the same time; more are refused',
    default: 256,
  },
  {
    key: 'workspace.session_idle',
    field: ['workspace', 'sessionIdleMs'],
    type: 'duration',
    description: 'Interactive commands that nobody asked about for so long are ended',
    default: 1_800_000,
  },
  {
    key: 'workspace.init',
    field: ['workspace', 'init'],
    type: 'commands',
    description: 'Commands run once in each new workspace; where one fails, there is no workspace',
    default: [],
  },
  {
    key: 'workspace.files',
    field: ['workspace', 'files'],
    type: 'files',
    description: 'Files that lie in every workspace before a command runs there',
    default: [],
  },
  {
    key: 'workspace.commands',
    field: ['workspace', 'commands'],
    type: 'commands',
    description: 'Commands that have to have succeeded in a workspace before any other runs there',
    default: [],
  },
] as const
