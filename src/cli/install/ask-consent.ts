import type { ApprovalMeans, LockedSkill } from '../../core/installing/lock-file.ts'
import type { ConsentStore } from '../../core/installing/machine-consents.ts'
import type { PreparedSkill } from '../../core/installing/prepare-skill.ts'
import type { VetReport } from '../../core/vetting/index.ts'
import { SkillsError } from '../../errors.ts'
import { getListOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { confirmByPrompt } from '../ui/prompts.ts'

const DIGEST = /^sha256:[0-9a-f]{64}$/

interface ConsentRequest {
  skill: PreparedSkill
  before: LockedSkill | undefined
  shown: string
  consents: ConsentStore
  vetting: VetReport | undefined
}

/**
 * Returns how the user agreed to exactly these files and rights; undefined if there is no terminal to
 * ask on. Throws if the user does not agree. A consent in the lock counts if it was given on this
 * machine: the lock may come from another machine.
 */
export async function askConsent(
  context: Context,
  call: CommandLine,
  request: ConsentRequest,
): Promise<ApprovalMeans | undefined> {
  const by = await findConsent(context, call, request)
  if (by !== undefined) await request.consents.add(request.skill.tree)
  return by
}

async function findConsent(
  context: Context,
  call: CommandLine,
  { skill, before, shown, consents, vetting }: ConsentRequest,
): Promise<ApprovalMeans | undefined> {
  const { tree, capabilityDigest, name } = skill
  const trusted = readTrusted(call, skill)
  context.note(shown)
  if (trusted !== undefined) return 'digest'
  const approved = before?.approved
  const isAgreed = approved?.tree === tree && approved.capabilities === capabilityDigest
  if (isAgreed && consents.has(tree)) return approved.by
  if (vetting?.verdict === 'dangerous') throw dangerousError(skill)
  if (call.options['yes'] === true) return 'yes'
  return context.isInteractive ? await askOnTerminal(context, name, shown) : undefined
}

/** A question is no guard here: only the digest says that the user has read these files. */
function dangerousError({ name, tree }: PreparedSkill): SkillsError {
  return new SkillsError(
    'policy/denied',
    `The skill "${name}" is not installed: skills vet calls it dangerous`,
    {
      hint: `Read what it found with "skills vet <source>". To install these files nevertheless, pass --trust ${tree}`,
      data: { tree },
    },
  )
}

/** The digest of `--trust`, which must be the one of these files. */
function readTrusted(call: CommandLine, { name, tree }: PreparedSkill): string | undefined {
  const trusted = getListOption(call, 'trust')
  if (trusted.length === 0) return undefined
  if (trusted.includes(tree)) return tree
  const wrong = trusted.find((digest) => !DIGEST.test(digest))
  if (wrong !== undefined) {
    throw new SkillsError('usage/invalid', `--trust "${wrong}" is not a digest`, {
      hint: 'Write sha256: and 64 hexadecimal digits, as "skills info" prints them',
    })
  }
  throw new SkillsError(
    'consent/required',
    `The digest of "${name}" is ${tree}, expected ${trusted.join(', ')}`,
    { hint: 'Compare the files with those that you agreed to' },
  )
}

async function askOnTerminal(context: Context, name: string, shown: string): Promise<'prompt'> {
  // A consent needs the text that --quiet hides.
  if (context.global.quiet) context.stderr.write(`${shown}\n`)
  const agrees = await confirmByPrompt(context, {
    message: `Install ${name}?`,
    initialValue: false,
  })
  if (agrees) return 'prompt'
  throw new SkillsError('run/cancelled', `Cancelled; "${name}" is not installed`)
}
