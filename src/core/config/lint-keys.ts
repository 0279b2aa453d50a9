import { defineSettings } from './define-settings.ts'

/** Hosts that a skill can be checked for. */
export const PROFILE_CHOICES = [
  'agent-skills',
  'claude-api',
  'claude-code',
  'codex',
  'copilot',
  'mcp',
  'openai',
] as const

/** Settings of `skills lint`. */
export const LINT_KEYS = defineSettings([
  {
    key: 'lint.rules',
    setBy: 'project',
    type: 'rules',
    description: 'Severity by rule or area: error, warning, info or off',
    default: {},
  },
  {
    key: 'lint.overrides',
    setBy: 'project',
    type: 'overrides',
    description: 'Severities for paths that match a glob',
    default: [],
  },
  {
    key: 'lint.baseline',
    setBy: 'project',
    type: 'path',
    description: 'File of accepted findings, which are not reported',
    default: undefined,
  },
  {
    key: 'lint.ignore',
    setBy: 'project',
    type: 'texts',
    description: 'Globs of files and folders that are not checked',
    default: [],
  },
  {
    key: 'lint.profiles',
    setBy: 'project',
    type: 'texts',
    description: 'Hosts whose keys, values and limits a skill must respect',
    choices: PROFILE_CHOICES,
    default: ['agent-skills', 'mcp'],
  },
])
