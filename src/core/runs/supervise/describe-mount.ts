import type { SourceSkill } from '../../sandbox/backend.ts'
import type { MountedSkill } from '../../skills/mounted-skill.ts'

/** Describes a mounted skill for a sandbox. */
export function describeMount({ manifest, dir, requireUnchanged }: MountedSkill): SourceSkill {
  return { name: manifest.name, dir, requireUnchanged, addedFiles: manifest.adoptedFiles }
}
