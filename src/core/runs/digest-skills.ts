import { lazily } from '../../util/lazily.ts'
import type { RecordedSkill } from './history/run-record.ts'
import type { MountedSkill } from '../skills/mounted-skill.ts'

const digests = lazily(async () => await import('../skills/repository/known-digest.ts'))

/** Of the files as they are now; a skill that cannot be read fails by itself, later. */
export async function digestSkills(mounts: readonly MountedSkill[]): Promise<RecordedSkill[]> {
  const { knownDigest } = await digests()
  return await Promise.all(
    mounts.map(async ({ manifest: { name, version }, dir }) => {
      const digest = await knownDigest(dir).catch(() => null)
      return { name, version, digest }
    }),
  )
}
