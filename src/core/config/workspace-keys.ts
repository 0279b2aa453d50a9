import { defineSettings } from './define-settings.ts'

/** Settings of agents' workspaces. */
export const WORKSPACE_KEYS = defineSettings([
  {
    key: 'workspace.skills',
    setBy: 'trusted project',
    type: 'text',
    description: 'Skills in a workspace: read-only, or copies that commands may change',
    choices: ['read-only', 'copies'],
    default: 'read-only',
  },
  {
    key: 'workspace.require_load',
    setBy: 'trusted project',
    type: 'flag',
    description: 'Require skill_load in the same session before commands of a skill',
    default: false,
  },
  {
    key: 'workspace.host_roots',
    setBy: 'trusted project',
    type: 'paths',
    description: 'Local folders that host:// inputs may come from',
    default: [],
  },
  {
    key: 'workspace.allowed_commands',
    setBy: 'trusted project',
    type: 'texts',
    description: 'Commands allowed in workspaces, such as "jq" or "git status" (default: any)',
    default: [],
  },
  {
    key: 'workspace.denied_commands',
    setBy: 'trusted project',
    type: 'texts',
    description: 'Commands denied in workspaces, even if allowed',
    default: [],
  },
  {
    key: 'workspace.save_outputs',
    setBy: 'trusted project',
    type: 'flag',
    description: 'Store collected output files as artifacts, even without a request',
    default: false,
  },
  {
    key: 'workspace.sandbox',
    setBy: 'trusted project',
    type: 'text',
    description:
      'One living sandbox for the commands of a session (session), or one for each command (command)',
    choices: ['session', 'command'],
    default: 'session',
  },
  {
    key: 'workspace.init',
    setBy: 'trusted project',
    type: 'commands',
    description:
      'Commands that run once in each new workspace; if one fails, the workspace is not created',
    default: [],
  },
  {
    key: 'workspace.files',
    setBy: 'trusted project',
    type: 'files',
    description: 'Files that every workspace contains before a command runs there',
    default: [],
  },
  {
    key: 'workspace.commands',
    setBy: 'trusted project',
    type: 'commands',
    description: 'Commands that must succeed in a workspace before any other command runs there',
    default: [],
  },
])
