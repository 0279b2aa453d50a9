import { SkillsError, toSkillsError } from '../../../errors.ts'
import type { LockedSkill } from '../lock-file.ts'
import type { InstallCandidate } from './candidate.ts'
import { fetchLockedSource } from './fetch-candidate.ts'
import { findWithdrawn } from './find-withdrawn.ts'
import { installCandidate } from './install-candidate.ts'
import type { Installer } from './installer.ts'

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
