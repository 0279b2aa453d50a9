import type { RootApproval, RootPin } from '../../core/config/roots/root-pins.ts'
import type { PreparedRoot } from '../../core/installing/roots/prepare-root.ts'
import { SkillsError } from '../../errors.ts'
import { getListOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { confirmByPrompt } from '../ui/prompts.ts'

interface RootConsent {
  source: string
  root: PreparedRoot
  before: RootPin | undefined
  shown: string
}

/** Returns how the user agreed to exactly these files and rights; throws without a consent. */
export async function askRootConsent(
  context: Context,
  call: CommandLine,
  { source, root, before, shown }: RootConsent,
): Promise<RootApproval> {
  const { tree, capabilityDigest } = root
  const trusted = getListOption(call, 'trust')
  if (trusted.length > 0 && !trusted.includes(tree)) {
    throw new SkillsError(
      'consent/required',
      `The digest of "${source}" is ${tree}, expected ${trusted.join(' or ')}`,
      { hint: 'Compare the files with those that you agreed to' },
    )
  }
  context.note(shown)
  if (trusted.length > 0) return 'digest'
  const approved = before?.approved
  if (approved?.tree === tree && approved.capabilities === capabilityDigest) return approved.by
  if (call.options['yes'] === true) return 'yes'
  if (!context.isInteractive) {
    const message = `The root "${source}" is not fetched without a consent`
    throw new SkillsError('consent/required', message, {
      hint: `Read what its skills may do, and repeat the command with --trust ${tree}`,
      data: { tree },
    })
  }
  // A consent needs the text that --quiet hides.
  if (context.global.quiet) context.stderr.write(`${shown}\n`)
  const question = { message: `Use the skills of ${source}?`, initialValue: false }
  if (await confirmByPrompt(context, question)) return 'prompt'
  throw new SkillsError('run/cancelled', 'Cancelled; the root is as before')
}
