import { SkillsError } from '../../../errors.ts'
import type { ApprovalMeans } from '../lock-file.ts'
import type { PreparedSkill } from '../prepare-skill.ts'
import type { ConsentFacts } from './candidate.ts'
import type { Installer, InstallOptions } from './installer.ts'

const DIGEST = /^sha256:[0-9a-f]{64}$/

/**
 * Returns how the user agreed to exactly these files and rights; undefined if there is no one to ask.
 * Throws if the user does not agree. A consent in the lock counts if it was given on this machine: the
 * lock may come from another machine.
 */
export async function askConsent(
  installer: Installer,
  facts: ConsentFacts,
): Promise<ApprovalMeans | undefined> {
  const by = await findConsent(installer, facts)
  if (by !== undefined) await installer.consents.add(facts.skill.tree)
  return by
}

async function findConsent(
  { consents, options, caller }: Installer,
  facts: ConsentFacts,
): Promise<ApprovalMeans | undefined> {
  const { skill, before, vetting } = facts
  const { tree, capabilityDigest, name } = skill
  const isTrusted = isTrustedDigest(options, skill)
  caller.show(facts)
  if (isTrusted) return 'digest'
  const approved = before?.approved
  const isAgreed = approved?.tree === tree && approved.capabilities === capabilityDigest
  if (isAgreed && consents.has(tree)) return approved.by
  if (vetting?.verdict === 'dangerous') throw dangerousError(skill)
  if (options.yes) return 'yes'
  const agrees = await caller.agree(facts)
  if (agrees === false) {
    throw new SkillsError('run/cancelled', `Cancelled; "${name}" is not installed`)
  }
  return agrees === true ? 'prompt' : undefined
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

/** True if the caller passed the digest of these files; throws for another one. */
function isTrustedDigest({ trust }: InstallOptions, { name, tree }: PreparedSkill): boolean {
  if (trust.length === 0) return false
  if (trust.includes(tree)) return true
  const wrong = trust.find((digest) => !DIGEST.test(digest))
  if (wrong !== undefined) {
    throw new SkillsError('usage/invalid', `--trust "${wrong}" is not a digest`, {
      hint: 'Write sha256: and 64 hexadecimal digits, as "skills info" prints them',
    })
  }
  throw new SkillsError(
    'consent/required',
    `The digest of "${name}" is ${tree}, expected ${trust.join(', ')}`,
    { hint: 'Compare the files with those that you agreed to' },
  )
}
