import type { ApprovalMeans, LockedSkill } from '../../core/installing/lock-file.ts'
import type { PreparedSkill } from '../../core/installing/prepare-skill.ts'
import { SkillsError } from '../../errors.ts'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { confirmByPrompt } from '../ui/prompts.ts'

interface ConsentRequest {
  skill: PreparedSkill
  before: LockedSkill | undefined
  shown: string
}

/** Returns how the user agreed to exactly these files and rights; throws without a consent. */
export async function askConsent(
  context: Context,
  call: CommandLine,
  { skill, before, shown }: ConsentRequest,
): Promise<ApprovalMeans> {
  const { tree, capabilityDigest, name } = skill
  const trusted = getTextOption(call, 'trust')
  if (trusted !== undefined && trusted !== tree) {
    throw new SkillsError(
      'consent/required',
      `The digest of "${name}" is ${tree}, expected ${trusted}`,
      {
        hint: 'Compare the files with those that you agreed to',
      },
    )
  }
  context.note(shown)
  if (trusted !== undefined) return 'digest'
  const approved = before?.approved
  if (approved?.tree === tree && approved.capabilities === capabilityDigest) return approved.by
  if (call.options['yes'] === true) return 'yes'
  if (context.isInteractive) {
    // A consent needs the text that --quiet hides.
    if (context.global.quiet) context.stderr.write(`${shown}\n`)
    const agrees = await confirmByPrompt(context, {
      message: `Install ${name}?`,
      initialValue: false,
    })
    if (agrees) return 'prompt'
    throw new SkillsError('run/cancelled', 'Cancelled; nothing was installed')
  }
  throw new SkillsError(
    'consent/required',
    `The skill "${name}" is not installed without a consent`,
    {
      hint: `Read it, and repeat the command with --trust ${tree}`,
      data: { tree },
    },
  )
}
