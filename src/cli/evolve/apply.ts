import { SkillsError } from '../../errors.ts'
import { writeEdits } from '../../evolution/edits.ts'
import { listPermissionChanges } from '../../evolution/permissions.ts'
import { checkProposal, readProposal, useEditedCopy } from '../../evolution/proposal.ts'
import { getFlagOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openConfig } from '../runtime.ts'
import { confirmByPrompt } from '../ui/prompts.ts'
import { printProposal } from './print-proposal.ts'

/** `skills evolve apply`: applies a saved proposal after a person confirmed it. */
export async function applyProposal(context: Context, call: CommandLine): Promise<number> {
  const { config } = await openConfig(context)
  const proposal = readProposal(config.directories.data, call.args[0] ?? '')
  const { folder, edits, skill } = proposal
  await checkProposal(proposal)
  const permissions = await useEditedCopy(
    folder,
    edits,
    async (copy) => await listPermissionChanges(folder, copy),
  )
  printProposal(context, { ...proposal, permissions })
  await requireConsent(context, call, {
    option: 'yes',
    message: `Apply these changes to ${skill}?`,
    flag: '--yes',
  })
  if (permissions.length > 0) {
    await requireConsent(context, call, {
      option: 'allowPermissions',
      message: `Really change what runs of ${skill} may do?`,
      flag: '--allow-permissions',
    })
  }
  await checkProposal(proposal)
  writeEdits(folder, edits)
  context.note(`Applied to ${folder}`)
  return 0
}

/** A yes of a person: an option of the command line, or an answer on a terminal. */
async function requireConsent(
  context: Context,
  call: CommandLine,
  { option, message, flag }: { option: string; message: string; flag: string },
): Promise<void> {
  if (getFlagOption(call, option)) return
  if (!context.isInteractive) {
    throw new SkillsError('policy/denied', `Without a terminal, the change requires ${flag}`, {
      hint: `Read the changes, then add ${flag}`,
    })
  }
  if (await confirmByPrompt(context, { message, initialValue: false })) return
  throw new SkillsError('run/cancelled', 'Cancelled; nothing was written')
}
