import { SkillsError } from '../../errors.ts'
import { REMOTE_OPTIONS } from '../access/remote-options.ts'
import { SESSION_OPTIONS, readSession } from '../agent/session-options.ts'
import { getTextOption, type CommandLine, type CommandDefinition } from '../command.ts'
import type { Context } from '../context.ts'

/** The outer shell drops an inherited PS1, so the prompt is passed in another variable. */
const SHELL_SCRIPT = 'export PS1="$SKILLS_PROMPT"; unset SKILLS_PROMPT; exec "${BASH:-/bin/sh}" -i'

export const command: CommandDefinition = {
  summary: "Open a terminal in a skill's workspace",
  details:
    "Open a shell in the workspace of a session, in the folder of a skill: what the skill's commands see, in the same sandbox and with the same limits. What is written there stays until the session is forgotten.",
  arguments: [{ syntax: '<skill>', description: 'Name, or name@version' }],
  options: [
    {
      flags: '-c, --command <line>',
      description: 'Run this line in place of a shell to type into',
    },
    ...SESSION_OPTIONS,
    ...REMOTE_OPTIONS,
  ],
  examples: [
    {
      command: 'skills shell demo.greet',
      explains: 'A terminal; end it with exit or Ctrl-D',
      notRun: 'it asks for a terminal',
    },
    { command: 'skills shell demo.greet -c "ls -l"', explains: 'One command, and its exit code' },
  ],
  run: openShell,
}

async function openShell(context: Context, call: CommandLine): Promise<number> {
  const { runInteractively } = await import('../agent/exec.ts')
  const line = getTextOption(call, 'command')
  const { getTerminalSize } = await import('../agent/attach.ts')
  const isPerson = getTerminalSize(context) !== undefined
  if (line === undefined && (context.global.json || !isPerson)) {
    throw new SkillsError('usage/invalid', 'There is no terminal to open a shell in', {
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
  return exitCode < 0 ? 1 : exitCode
}

/** Prompt with the skill and the current folder. */
function formatShellPrompt({ env }: Context, skill: string): string {
  const isPlain = env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== ''
  const name = skill.replaceAll(/[^\w.@/-]/g, '')
  return isPlain ? `${name}:\\w\\$ ` : `\\[\\e[36m\\]${name}\\[\\e[0m\\]:\\w\\$ `
}
