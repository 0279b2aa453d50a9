import { findNearest } from '../../../util/find-nearest.ts'
import type { Plain } from '../../skills/manifest/manifest.ts'
import { quoteValue } from '../skill-facts.ts'
import type { ValueCheck } from './host.ts'
import { checkTexts } from './value-checks.ts'

/** Tools of Claude Code, with earlier names that it still accepts. Source: "Tools reference". */
const CLAUDE_CODE_TOOLS = [
  'Agent',
  'AskUserQuestion',
  'Bash',
  'BashOutput',
  'CronCreate',
  'CronDelete',
  'CronList',
  'Edit',
  'EnterPlanMode',
  'EnterWorktree',
  'ExitPlanMode',
  'ExitWorktree',
  'Glob',
  'Grep',
  'KillShell',
  'LS',
  'LSP',
  'ListMcpResourcesTool',
  'Monitor',
  'MultiEdit',
  'NotebookEdit',
  'NotebookRead',
  'PowerShell',
  'Read',
  'ReadMcpResourceTool',
  'SendMessage',
  'Skill',
  'SlashCommand',
  'Task',
  'TaskCreate',
  'TaskGet',
  'TaskList',
  'TaskOutput',
  'TaskStop',
  'TaskUpdate',
  'TeamCreate',
  'TeamDelete',
  'TodoRead',
  'TodoWrite',
  'ToolSearch',
  'WebFetch',
  'WebSearch',
  'Write',
]

/** Checks names of tools, as in `Read, Bash(git add *) mcp__server__tool`. */
export const checkClaudeCodeTools: ValueCheck = (value, skill) => {
  const problem = checkTexts(value, skill)
  if (problem) return problem
  for (const entry of listToolEntries(value)) {
    const found = describeEntryProblem(entry)
    if (found) return found
  }
  return undefined
}

function listToolEntries(value: Plain): string[] {
  if (typeof value === 'string') return splitEntries(value)
  const entries: readonly Plain[] = Array.isArray(value) ? value : []
  return entries.filter((each) => typeof each === 'string').map((each) => each.trim())
}

/** Splits at blanks and commas outside of parentheses. */
function splitEntries(text: string): string[] {
  return text.match(/[^\s,(]+(?:\([^)]*\)?)?|\([^)]*\)?/g) ?? []
}

function describeEntryProblem(entry: string): ReturnType<ValueCheck> {
  const [name = ''] = entry.split('(')
  if (/^[^()]*[()]/.test(entry) && !/\(.*\)$/s.test(entry))
    return { message: `has ${quoteValue(entry)}, expected matching parentheses` }
  if (name === '') return { message: `has ${quoteValue(entry)}, expected a tool before "("` }
  if (/^mcp_/i.test(name)) return describeMcpNameProblem(name)
  if (CLAUDE_CODE_TOOLS.includes(name) || /[*_:/-]/.test(name)) return undefined
  const guess =
    CLAUDE_CODE_TOOLS.find((tool) => tool.toLowerCase() === name.toLowerCase()) ??
    findNearest(name, CLAUDE_CODE_TOOLS)
  return {
    message: `has ${quoteValue(name)}, which is not a tool of Claude Code`,
    help: guess ? `Write ${guess}` : 'Write names such as Read, Grep, Bash(git *)',
    severity: 'warning',
  }
}

function describeMcpNameProblem(name: string): ReturnType<ValueCheck> {
  if (/^mcp__[^\s_]+(?:_[^\s_]+)*(?:__\S+)?$/.test(name)) return undefined
  return { message: `has ${quoteValue(name)}, expected mcp__server__tool`, severity: 'warning' }
}
