import { SkillsError } from '../../../errors.ts'
import { fetchSource } from '../../sources/fetch-source.ts'
import type { FetchedSkill } from '../../sources/fetched-skill.ts'
import { parseSkillSource } from '../../sources/skill-source.ts'
import { checkSignatureRule, checkSourceRule, findUncheckedHint } from '../install-rules.ts'
import type { LockedSkill } from '../lock-file.ts'
import {
  findLockDifference,
  lockDifferenceError,
  prepareSkill,
  type PreparedSkill,
} from '../prepare-skill.ts'
import { askConsent } from './ask-consent.ts'
import type { SignatureCheck } from './candidate.ts'
import { checkSignatures, deniedInstallError } from './check-signatures.ts'
import { examineStaged } from './examine-staged.ts'
import type { Installer } from './installer.ts'

/** An entry of the lock with the files of its source, which were checked. */
export interface LockedSource extends SignatureCheck {
  locked: LockedSkill
  skill: PreparedSkill
  fetched: FetchedSkill
}

/** Fetches what the lock describes: the digests, the rights and the signatures are checked again. */
export async function fetchLocked(
  installer: Installer,
  locked: LockedSkill,
): Promise<LockedSource> {
  const { places, signal, env, caller } = installer
  const rules = installer.config.install
  const place = parseSkillSource(locked.resolved, places.base)
  checkSourceRule(rules, place, locked.resolved)
  const fetched = await caller.fetching(
    locked.source,
    async () => await fetchSource(place, { signal, env }),
  )
  const skill = prepareSkill(fetched.files)
  if (skill.tree !== locked.tree) throw changedSourceError(locked, skill.tree, locked.tree)
  const archive = fetched.archiveDigest ?? null
  if (archive !== locked.archive) throw changedSourceError(locked, archive, locked.archive)
  const difference = findLockDifference(locked, skill)
  if (difference !== undefined) throw lockDifferenceError(locked, difference)
  const signatures = await checkSignatures(installer, { skill, fetched, place })
  // Signers of the lock are claims of the project.
  checkSignatureRule(rules, signatures)
  return { locked, skill, fetched, ...signatures }
}

/**
 * The consent to an entry of the lock. A lock that was reviewed is trusted; otherwise the user has
 * agreed to these files on this machine, or is asked.
 */
export async function agreeToLocked(
  installer: Installer,
  { locked, skill, signers, attestations, signature }: LockedSource,
  staged: string,
): Promise<void> {
  const { options, consents } = installer
  const lost = locked.signers.filter((name) => !signers.includes(name))
  if (options.frozen) {
    if (lost.length === 0) return
    throw deniedInstallError(
      `"${locked.name}" was signed by ${lost.join(', ')}, whose signature does not count here`,
      findUncheckedHint(attestations),
    )
  }
  if (lost.length === 0 && consents.has(skill.tree)) return
  const { source, resolved } = locked
  const examined = await examineStaged(installer, { dir: staged, source })
  const problems = [
    ...lost.map((name) => `the signature of ${name}, which skills.lock has, does not count here`),
    ...examined.problems,
  ]
  const facts = { skill, source, resolved, signature, attestations, before: undefined }
  if ((await askConsent(installer, { ...facts, ...examined, problems })) !== undefined) return
  throw new SkillsError(
    'consent/required',
    `The skill "${locked.name}" of skills.lock is not installed without a consent`,
    {
      hint: 'Read it, and type "skills install --yes"; "skills install --frozen" trusts a reviewed lock',
      data: { tree: skill.tree },
    },
  )
}

function changedSourceError(
  { name, source }: LockedSkill,
  found: string | null,
  expected: string | null,
): SkillsError {
  return new SkillsError(
    'skill/changed',
    `The source of "${name}" has the digest ${found ?? 'of no archive'}, expected ${expected ?? 'that of a folder'}`,
    { hint: `Compare it, and type "skills install ${source}" to agree to the new files` },
  )
}
