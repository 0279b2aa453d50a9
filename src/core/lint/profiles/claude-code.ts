import { findNearest } from '../../../util/find-nearest.ts'
import type { FrontMatter, HostProblem, HostDescription, ValueCheck } from './host.ts'
import { checkClaudeCodeTools } from './tool-names.ts'
import {
  checkFlag,
  checkText,
  checkTexts,
  createChoiceCheck,
  createTextCheck,
} from './value-checks.ts'
import { quoteValue, toTable } from '../skill-facts.ts'

/** The list of skills shows at most this many characters. Source: "Extend Claude with skills". */
const MAX_LISTED = 1536

/** Short names of models. Full names and those of cloud providers have another form. */
const MODELS = [
  'best',
  'default',
  'fable',
  'haiku',
  'inherit',
  'mythos',
  'opus',
  'opusplan',
  'sonnet',
]

/** Events. Source: "Hooks reference". Later versions may have more. */
const HOOK_EVENTS = [
  'ConfigChange',
  'CwdChanged',
  'Elicitation',
  'ElicitationResult',
  'FileChanged',
  'InstructionsLoaded',
  'Notification',
  'PermissionDenied',
  'PermissionRequest',
  'PostCompact',
  'PostToolUse',
  'PostToolUseFailure',
  'PreCompact',
  'PreToolUse',
  'SessionEnd',
  'SessionStart',
  'Setup',
  'Stop',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
  'TaskCompleted',
  'TaskCreated',
  'TeammateIdle',
  'UserPromptSubmit',
  'WorktreeCreate',
  'WorktreeRemove',
]

const checkModel: ValueCheck = (value, skill) => {
  if (typeof value !== 'string') return checkText(value, skill)
  if (value.trim() === '') return { message: 'is empty, expected a model' }
  if (!/^[a-z]+$/i.test(value) || MODELS.includes(value)) return undefined
  const guess = findNearest(value.toLowerCase(), MODELS)
  const message = `is ${quoteValue(value)}, which is not the short name of a model`
  return {
    message,
    help: `Write ${guess ?? 'sonnet, opus, haiku or inherit'}`,
    severity: 'warning',
  }
}

/** Source: "Extend Claude with skills", front matter reference. */
export const CLAUDE_CODE: HostDescription = {
  profile: 'claude-code',
  title: 'Claude Code',
  required: [],
  keys: {
    name: checkText,
    description: createTextCheck(Number.MAX_SAFE_INTEGER),
    when_to_use: checkText,
    'argument-hint': undefined,
    arguments: checkTexts,
    'disable-model-invocation': checkFlag,
    'user-invocable': checkFlag,
    'allowed-tools': checkClaudeCodeTools,
    'disallowed-tools': checkClaudeCodeTools,
    model: checkModel,
    effort: createChoiceCheck(['low', 'medium', 'high', 'xhigh', 'max']),
    context: createChoiceCheck(['fork']),
    agent: checkText,
    background: checkFlag,
    hooks: undefined,
    paths: checkTexts,
    shell: createChoiceCheck(['bash', 'powershell']),
    license: undefined,
    compatibility: undefined,
    metadata: undefined,
  },
  check: (_skill, data) => [
    ...findUnreachable(data),
    ...findUnusedAgent(data),
    ...findLongListing(data),
    ...findHookProblems(data),
  ],
}

function findUnreachable(data: FrontMatter): HostProblem[] {
  if (data['user-invocable'] !== false || data['disable-model-invocation'] !== true) return []
  return [
    {
      path: ['user-invocable'],
      message: 'is false while disable-model-invocation is true, so nothing can start the skill',
      help: 'Remove one of the two keys',
      severity: 'warning',
    },
  ]
}

function findUnusedAgent({ agent, context }: FrontMatter): HostProblem[] {
  if (agent === undefined || context === 'fork') return []
  const message = 'has no effect without context: fork'
  return [{ path: ['agent'], what: 'key', message, help: 'Add context: fork', severity: 'warning' }]
}

function findLongListing({ description, when_to_use: when }: FrontMatter): HostProblem[] {
  const texts = [description, when].filter((each) => typeof each === 'string')
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  if (length <= MAX_LISTED) return []
  const message = `and when_to_use have ${length} characters, of which ${MAX_LISTED} are listed`
  const help = 'Shorten them, and begin with the main use'
  return [{ path: ['description'], message, help, severity: 'warning' }]
}

function findHookProblems({ hooks }: FrontMatter): HostProblem[] {
  if (hooks === undefined) return []
  if (typeof hooks !== 'object' || hooks === null || Array.isArray(hooks))
    return [{ path: ['hooks'], message: 'is not a table, expected events such as PreToolUse' }]
  return Object.entries(toTable(hooks)).flatMap(([event, matchers]): HostProblem[] => {
    const path = ['hooks', event]
    if (!HOOK_EVENTS.includes(event)) {
      const guess =
        HOOK_EVENTS.find((each) => each.toLowerCase() === event.toLowerCase()) ??
        findNearest(event, HOOK_EVENTS)
      const help = guess ? `Write ${guess}` : undefined
      return help ? [{ path, what: 'key', message: 'is not an event of a hook', help }] : []
    }
    if (Array.isArray(matchers)) return []
    return [{ path, message: 'is not a list, expected matchers with their hooks' }]
  })
}
