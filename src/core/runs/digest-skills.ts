import { loadLazily } from '../../util/load-lazily.ts'
import type { Services } from '../services.ts'
import type { MountedSkill } from '../skills/mounted-skill.ts'
import type { RecordedSkill } from './history/run-record.ts'

const loadDigestModule = loadLazily(async () => await import('../skills/content/read-content.ts'))

/**
 * Digests the current files of the skills. A skill that cannot be read gets null; its run fails
 * later.
 */
export async function digestSkills(
  services: Pick<Services, 'digests'>,
  mounts: readonly MountedSkill[],
): Promise<RecordedSkill[]> {
  const { digestFolder } = await loadDigestModule()
  const cache = await services.digests()
  return await Promise.all(
    mounts.map(async ({ manifest: { name, version }, dir }) => {
      const digest = await cache.get(dir, async () => await digestFolder(dir)).catch(() => null)
      return { name, version, digest }
    }),
  )
}
