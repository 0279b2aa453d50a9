import { checkSignatureRule, checkSourceRule } from '../../core/installing/install-rules.ts'
import type { LockedSkill } from '../../core/installing/lock-file.ts'
import {
  findLockDifference,
  lockDifferenceError,
  prepareSkill,
  type PreparedSkill,
} from '../../core/installing/prepare-skill.ts'
import type { PackedFile } from '../../core/packing/packed-file.ts'
import type { FetchedSkill } from '../../core/sources/fetched-skill.ts'
import { fetchSource } from '../../core/sources/fetch-source.ts'
import { parseSkillSource } from '../../core/sources/skill-source.ts'
import { SkillsError } from '../../errors.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { whileFetching } from '../access/while-fetching.ts'
import { checkSignatures, type SignatureCheck } from './check-signatures.ts'
import { loadInstallRules } from './load-rules.ts'

/** An entry of the lock with the files of its source, which were checked. */
export interface LockedSource extends SignatureCheck {
  locked: LockedSkill
  skill: PreparedSkill
  files: readonly PackedFile[]
  fetched: FetchedSkill
}

/** Fetches what the lock describes: the digests, the rights and the signatures are checked again. */
export async function fetchLocked(
  context: Context,
  call: CommandLine,
  { locked, projectDir }: { locked: LockedSkill; projectDir: string },
): Promise<LockedSource> {
  const place = parseSkillSource(locked.resolved, projectDir)
  const rules = await loadInstallRules(context)
  checkSourceRule(rules, place, locked.resolved)
  const { signal, env } = context
  const fetched = await whileFetching(
    context,
    locked.source,
    async () => await fetchSource(place, { signal, env }),
  )
  const skill = prepareSkill(fetched.files)
  if (skill.tree !== locked.tree) throw changedSourceError(locked, skill.tree, locked.tree)
  const archive = fetched.archiveDigest ?? null
  if (archive !== locked.archive) throw changedSourceError(locked, archive, locked.archive)
  const difference = findLockDifference(locked, skill)
  if (difference !== undefined) throw lockDifferenceError(locked, difference)
  const signatures = await checkSignatures(context, call, { skill, fetched, place })
  // Signers of the lock are claims of the project.
  checkSignatureRule(rules, signatures)
  return { locked, skill, files: fetched.files, fetched, ...signatures }
}

// eslint-disable-next-line max-params -- the entry and two digests
function changedSourceError(
  { name, source }: LockedSkill,
  found: string | null,
  expected: string | null,
): SkillsError {
  return new SkillsError(
    'skill/changed',
    `The source of "${name}" has the digest ${found ?? 'of no archive'}, expected ${expected ?? 'that of a folder'}`,
    {
      hint: `Compare it, and type "skills install ${source}" to agree to the new files`,
    },
  )
}
