import type { PackedFile } from '../../core/packing/packed-file.ts'
import {
  findUnreadableManifest,
  parsePackedManifests,
} from '../../core/packing/packed-manifests.ts'
import type { Manifest } from '../../core/skills/manifest/manifest.ts'
import { toManifest } from '../../core/skills/manifest/to-manifest.ts'
import { SkillsError } from '../../errors.ts'
import type { SkillVersion } from './catalog-entry.ts'

/**
 * Checks that the manifests are valid and name this version: a repository lists a skill by its
 * manifest, whatever the catalog calls it. Returns the manifest. Throws `skill/invalid`.
 */
export function checkIdentity(
  files: readonly PackedFile[],
  { name, version }: SkillVersion,
): Manifest {
  const broken = findUnreadableManifest(files)
  if (broken) {
    throw identityError({ name, version }, `"${broken.path}" is not UTF-8 text of at most 1 MiB`)
  }
  // Folders of the catalog have other names than the folder of the author.
  const { manifest, problems } = toManifest({ dir: '', ...parsePackedManifests(files) })
  const [problem] = problems
  if (problem) throw identityError({ name, version }, problem.message)
  if (manifest.name === name && manifest.version === version) return manifest
  throw identityError(
    { name, version },
    `its manifest names it "${manifest.name}@${manifest.version}"`,
  )
}

function identityError({ name, version }: SkillVersion, problem: string): SkillsError {
  return new SkillsError('skill/invalid', `A fleet cannot have "${name}@${version}": ${problem}`, {
    hint: 'Fix the manifest, and add the skill again',
  })
}
