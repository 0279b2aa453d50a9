import type { RecordedSkill } from '../record/run-record.ts'
import type { MountedSkill } from './run-request.ts'

/** Of the files as they are now; a skill that cannot be read fails by itself, later. */
export async function digestSkills(mounts: readonly MountedSkill[]): Promise<RecordedSkill[]> {
  const { knownDigest } = await import('../repository/known-digest.ts')
  return await Promise.all(
    mounts.map(async ({ manifest: { name, version }, dir }) => {
      const digest = await knownDigest(dir).catch(() => null)
      return { name, version, digest }
    }),
  )
}
