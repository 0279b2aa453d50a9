import { SkillsError } from '../../errors.ts'
import type { ArchiveFormatName } from '../packing/formats.ts'
import type { PackedSkill } from '../packing/pack-skill.ts'
import { packSkill } from '../packing/pack-skill.ts'
import { describeFiles, type PackedFile } from '../packing/packed-file.ts'
import { parsePackedManifests } from '../packing/packed-manifests.ts'
import { readArchive } from '../packing/read/read-archive.ts'
import { digestContent } from '../skills/content/content-manifest.ts'
import type { Manifest } from '../skills/manifest/manifest.ts'
import { toManifest } from '../skills/manifest/to-manifest.ts'
import type { SkillRelease } from './targets/publish-target.ts'

export interface BuildOptions {
  /** Archives that the target needs; tar.gz is always built. */
  formats: readonly ArchiveFormatName[]
  maxFiles: number
  maxBytes: number
}

/** A release with facts of its packing, for people. */
export interface BuiltRelease {
  release: SkillRelease
  leftOut: PackedSkill['leftOut']
  exceeded: PackedSkill['exceeded']
}

/** Packs a folder once. The files of the release are read back from its archive. */
export async function buildRelease(folder: string, options: BuildOptions): Promise<BuiltRelease> {
  const { formats, maxFiles, maxBytes } = options
  const pack = await packSkill(folder, {
    formats: [...new Set<ArchiveFormatName>(['tar.gz', ...formats])],
    maxFiles,
    maxBytes,
  })
  const { skill, published: name, version, tree, leftOut, exceeded } = pack
  const [first] = pack.archives
  const files = first ? await readArchive(first.bytes) : []
  if (digestContent(describeFiles(files)) !== tree) {
    throw new SkillsError('archive/invalid', 'The archive does not contain the packed files', {
      hint: 'Type "skills pack --dry-run" with this skill, and report the problem',
    })
  }
  const manifest = readPackedManifest(files)
  const archives = pack.archives.filter(({ format }) => formats.includes(format))
  const entries = pack.files
  return {
    release: { skill, name, version, manifest, tree, files, entries, archives, bundle: undefined },
    leftOut,
    exceeded,
  }
}

/** Reads the manifest of packed files, which `packSkill` has accepted. */
export function readPackedManifest(files: readonly PackedFile[]): Manifest {
  return toManifest(parsePackedManifests(files)).manifest
}
