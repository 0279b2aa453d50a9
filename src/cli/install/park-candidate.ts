import { isAttested } from '../../core/sources/fetched-skill.ts'
import { relative } from 'node:path'
import { locateParked, parkSkill } from '../../core/installing/parking/parked-skills.ts'
import { SkillsError } from '../../errors.ts'
import type { Context } from '../context.ts'
import { openUserArchives } from '../signing/open-stores.ts'
import type { InstallCandidate } from './install-candidate.ts'

/** Stores a skill that no user could be asked about; returns the error with the remedy. */
export async function parkCandidate(
  context: Context,
  { places, skill, fetched, recorded, agents, isParked }: InstallCandidate,
): Promise<SkillsError> {
  const { name, version, folder, tree } = skill
  const archive = fetched.archiveDigest ?? null
  const path =
    isParked === true
      ? locateParked(places, folder)
      : await parkSkill(places, {
          record: { name, version, ...recorded, archive, folder, tree, agents },
          files: fetched.files,
          envelopes: fetched.envelopes,
        })
  // "skills install --parked" verifies attestations again, which are about the archive.
  if (isParked !== true && isAttested(fetched)) {
    await openUserArchives(context).add(tree, fetched)
  }
  const shown = relative(places.base, path)
  const option = places.scope === 'user' ? ' --global' : ''
  return new SkillsError(
    'consent/required',
    `The skill "${name}" is parked in ${shown}, and not installed without a consent`,
    {
      hint: `Read it, and type: skills install --parked ${name}${option} --trust ${tree}`,
      data: { tree, parked: shown },
    },
  )
}
