import type { InstallCandidate } from './candidate.ts'
import { fetchLockedSource } from './fetch-candidate.ts'
import { installCandidate } from './install-candidate.ts'
import type { Installer } from './installer.ts'
import type { LockedSkill } from '../lock-file.ts'
import { findKind } from '../../sources/index.ts'
import { parseRemoteSource, parseSkillSource } from '../../sources/skill-source.ts'
import { SkillsError, toSkillsError } from '../../../errors.ts'
import { toPrintable } from '../../../util/printable.ts'

export type UpdateResult =
  | { status: 'current' | 'updated'; locked: LockedSkill; candidate: InstallCandidate }
  | {
      status: 'failed'
      locked: LockedSkill
      error: SkillsError
      /** Reason for which the publisher withdrew the installed version. */
      withdrawn: string | undefined
    }

/** Installs what the sources of lock entries have now. A skill that cannot be updated does not stop the others. */
export async function updateSkills(
  installer: Installer,
  selected: readonly LockedSkill[],
): Promise<UpdateResult[]> {
  const results: UpdateResult[] = []
  for (const locked of selected) {
    try {
      const candidate = await fetchLockedSource(installer, locked)
      const isCurrent = candidate.skill.tree === locked.tree
      if (!isCurrent) await installCandidate(installer, candidate)
      results.push({ status: isCurrent ? 'current' : 'updated', locked, candidate })
    } catch (thrown) {
      const error = toSkillsError(thrown)
      if (error.code === 'run/cancelled' || installer.signal.aborted) throw thrown
      const isKept = error.code === 'skill/exists'
      const withdrawn = isKept ? await findWithdrawn(installer, locked) : undefined
      results.push({ status: 'failed', locked, error, withdrawn })
    }
  }
  return results
}

/** The reason for which the installed version was withdrawn; undefined if the source does not state it. */
export async function findWithdrawn(
  { places, signal, env }: Installer,
  { source, resolved, version }: LockedSkill,
): Promise<string | undefined> {
  try {
    const place = parseSkillSource(source, places.base)
    const pinned = parseRemoteSource(resolved)
    // The version of a package can differ from the one of its skill.
    const asked = pinned?.type === 'npm' ? (pinned.version ?? version) : version
    const reason = await findKind(place).findWithdrawal?.(place, asked, { signal, env })
    return reason === undefined ? undefined : toPrintable(reason)
  } catch (thrown) {
    signal.throwIfAborted()
    if (thrown instanceof SkillsError) return undefined
    throw thrown
  }
}
