import type { RecordedSkill } from '../record/run-record.ts'
import type { MountedSkill } from './run-request.ts'

/** Of the files as they are now; a skill that cannot be read fails by itself, later. */
export async function digestSkills(mounts: readonly MountedSkill[]): Promise<RecordedSkill[]> {
  const { digestFolder } = await import('../repository/digest.ts')
  return await Promise.all(
    mounts.map(async ({ manifest: { name, version }, dir }) => {
      const digest = await digestFolder(dir).catch(() => null)
      return { name, version, digest }
    }),
  )
}
