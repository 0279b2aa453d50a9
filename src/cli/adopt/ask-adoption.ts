import { SkillsError } from '../../errors.ts'
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
