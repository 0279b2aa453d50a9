import { SkillsError } from '../../errors.ts'
import { describeFiles, type PackedFile } from '../packing/packed-file.ts'
import { toHyphenatedName } from '../packing/pack-skill.ts'
import { findPackedPathProblem, findSkillPathProblem } from '../packing/path-problems.ts'
import { digestContent, type ContentEntry } from '../skills/content/content-manifest.ts'
import {
  digestCapabilities,
  listCapabilities,
  type Capability,
} from '../skills/manifest/capabilities.ts'
import type { LockedSkill } from './lock-file.ts'
import { readMarkdown } from '../skills/manifest/markdown-source.ts'
import { toManifest } from '../skills/manifest/to-manifest.ts'
import { readToml } from '../skills/manifest/toml-source.ts'

/** Facts of a manifest that the lock repeats. */
export interface PreparedManifest {
  name: string
  version: string
  /** Name of its folder, as hosts of Agent Skills expect it. */
  folder: string
  capabilities: readonly Capability[]
  capabilityDigest: string
}

/** A skill in memory that can be installed. */
export interface PreparedSkill extends PreparedManifest {
  tree: string
  files: readonly ContentEntry[]
  /** Paths with the executable bit. */
  executables: readonly string[]
}

/** Reads the manifest and the digests of fetched files. */
export function prepareSkill(files: readonly PackedFile[]): PreparedSkill {
  for (const { path } of files) rejectPath(path)
  const content = describeFiles(files)
  return {
    ...readInstalledManifest((name) => findText(files, name)),
    tree: digestContent(content),
    files: content.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    executables: files.filter(({ isExecutable }) => isExecutable).map(({ path }) => path),
  }
}

function rejectPath(path: string): void {
  const problem = findSkillPathProblem(path)
  if (problem === undefined) return
  const shown = JSON.stringify(path.slice(0, 200))
  throw new SkillsError('skill/invalid', `Cannot install the skill: ${shown} ${problem}`, {
    hint: 'Ask its author to remove or rename the file',
  })
}

/** Reads the two manifests of a skill; throws if it cannot be installed. */
export function readInstalledManifest(
  read: (name: 'skill.toml' | 'SKILL.md') => string | undefined,
): PreparedManifest {
  const toml = read('skill.toml')
  const markdown = read('SKILL.md')
  const { manifest, problems } = toManifest({
    toml: toml === undefined ? undefined : readToml('skill.toml', toml),
    markdown: markdown === undefined ? undefined : readMarkdown('SKILL.md', markdown),
  })
  const [problem] = problems
  if (problem) {
    throw new SkillsError('skill/invalid', `Cannot install the skill: ${problem.message}`, {
      hint: 'Ask its author to check it with "skills lint"',
    })
  }
  const capabilities = listCapabilities(manifest)
  const written = manifest.frontMatter['name']
  const folder = toHyphenatedName(typeof written === 'string' ? written : manifest.name)
  const folderProblem = findPackedPathProblem(folder)
  if (folderProblem !== undefined) {
    throw new SkillsError(
      'skill/invalid',
      `Cannot install the skill: its folder "${folder}" ${folderProblem}`,
      { hint: 'Ask its author for another name' },
    )
  }
  return {
    name: manifest.name,
    version: manifest.version,
    folder,
    capabilities,
    capabilityDigest: digestCapabilities(capabilities),
  }
}

/**
 * The first fact of a lock entry that its files contradict. The digest of the files does not cover
 * these: an edited lock could show other rights than the skill has.
 */
export function findLockDifference(
  locked: LockedSkill,
  found: PreparedManifest,
): string | undefined {
  const rights = found.capabilities.map(({ kind, value }) => `${kind} ${value}`)
  if (locked.name !== found.name) return 'name'
  if (locked.version !== found.version) return 'version'
  if (locked.folder !== found.folder) return 'folder'
  if (JSON.stringify(locked.capabilities) !== JSON.stringify(rights)) return 'capabilities'
  if (locked.approved.capabilities !== found.capabilityDigest) return 'approved.capabilities'
  return undefined
}

export function lockDifferenceError({ name }: LockedSkill, key: string): SkillsError {
  return new SkillsError(
    'lock/invalid',
    `"${key}" of "${name}" in skills.lock differs from the files with its digest`,
    { hint: 'The lock was edited: restore it from version control, and review its changes' },
  )
}

function findText(files: readonly PackedFile[], name: string): string | undefined {
  const file = files.find(({ path }) => path === name)
  return file && Buffer.from(file.bytes).toString('utf8')
}
