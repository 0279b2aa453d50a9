import { SkillsError } from '../../errors.ts'
import { REMOTE_OPTIONS } from '../access/remote-options.ts'
import { GRANT_OPTIONS } from '../agent/grant-options.ts'
import { SESSION_OPTIONS, readSession } from '../agent/session-options.ts'
import { getTextOption, type CommandLine, type CommandDefinition } from '../command.ts'
import { resolveColorLevel, type Context } from '../context.ts'

/** The outer shell drops an inherited PS1, so the prompt is passed in another variable. */
const SHELL_SCRIPT = 'export PS1="$SKILLS_PROMPT"; unset SKILLS_PROMPT; exec "${BASH:-/bin/sh}" -i'

export const command: CommandDefinition = {
  summary: 'Open a shell in the workspace of a skill',
  startsRuns: true,
  details: [
    'Open a shell in the workspace of a skill.',
    '',
    '- It starts in the folder of the skill, in the sandbox and with the limits',
    "  of the skill's commands.",
    '- Files in the workspace remain until the session expires.',
    '',
    'The exit status is that of the shell.',
  ].join('\n'),
  arguments: [{ syntax: '<skill>', description: 'Name or name@version' }],
  options: [
    {
      flags: '-c, --command <line>',
      description: 'Run this command line instead of an interactive shell',
    },
    ...GRANT_OPTIONS,
    ...SESSION_OPTIONS,
    ...REMOTE_OPTIONS,
  ],
  examples: [
    {
      command: 'skills shell demo.greet',
      explains: 'Open a shell; exit with "exit" or Ctrl-D',
      notRun: 'it needs a terminal',
    },
    {
      command: 'skills shell demo.greet -c "ls -l"',
      explains: 'Run one command and exit with its code',
    },
  ],
  run: openShell,
}

async function openShell(context: Context, call: CommandLine): Promise<number> {
  const { noteWarnings, runInteractively } = await import('../agent/exec.ts')
  const line = getTextOption(call, 'command')
  const { getTerminalSize } = await import('../agent/attach.ts')
  const isPerson = getTerminalSize(context) !== undefined
  if (line === undefined && (context.global.json || !isPerson)) {
    throw new SkillsError('usage/invalid', 'A shell needs a terminal', {
      hint: 'Type: skills shell <skill> -c "<command>"',
    })
  }
  const skill = call.args[0] ?? ''
  const params = {
    ...readSession(call),
    skill,
    command: line ?? SHELL_SCRIPT,
    ...(line === undefined && { env: { SKILLS_PROMPT: formatShellPrompt(context, skill) } }),
  }
  const { result, exitCode } = await runInteractively(context, call, { params, isAttended: true })
  if (context.global.json) context.document('skills.shell/v1', { result })
  else noteWarnings(context, result)
  return exitCode < 0 ? 1 : exitCode
}

/** Prompt with the skill and the current folder. */
export function formatShellPrompt(
  context: Pick<Context, 'env' | 'global' | 'stdout'>,
  skill: string,
): string {
  const isPlain = resolveColorLevel(context, context.global, context.stdout) === 0
  const name = skill.replaceAll(/[^\w.@/-]/g, '')
  return isPlain ? `${name}:\\w\\$ ` : `\\[\\e[36m\\]${name}\\[\\e[0m\\]:\\w\\$ `
}
