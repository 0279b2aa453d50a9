import { relative } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { quoteShellWord } from '../../util/shell-word.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { confirmByPrompt } from '../ui/prompts.ts'

/** Shows what is written; throws without a consent. */
export async function askAdoption(
  context: Context,
  call: CommandLine,
  shown: string,
): Promise<void> {
  context.note(shown)
  if (call.options['yes'] === true) return
  if (!context.isInteractive) {
    throw new SkillsError('consent/required', 'The skill is not written without a consent', {
      hint: 'Read the guesses with --dry-run, and repeat the command with --yes',
    })
  }
  // A consent needs the text that --quiet hides.
  if (context.global.quiet) context.stderr.write(`${shown}\n`)
  if (await confirmByPrompt(context, { message: 'Write these files?', initialValue: false })) return
  throw new SkillsError('run/cancelled', 'Cancelled; nothing was written')
}

const MAX_PROBLEMS = 10

/** Lint errors of what was written, and the commands that come next. */
export function noteNextSteps(
  context: Context,
  { target, problems, runs }: { target: string; problems: readonly string[]; runs: boolean },
): void {
  for (const problem of problems.slice(0, MAX_PROBLEMS)) context.note(`Lint error: ${problem}`)
  const folder = quoteShellWord(relative(context.cwd, target) || '.')
  // A word without a slash would be the name of a skill.
  const shown = /[/]|^\.+$/.test(folder) ? folder : `./${folder}`
  if (problems.length > 0) return context.note(`Type "skills lint ${shown}" to see what to change`)
  context.note(
    runs
      ? `Type "skills describe ${shown}" to see its inputs, and "skills exec ${shown}" to run it`
      : `No script of it is a command. Type "skills read ${shown} SKILL.md" to read it`,
  )
}
