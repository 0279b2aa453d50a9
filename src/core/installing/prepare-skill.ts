import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { describeFiles, type PackedFile } from '../packing/packed-file.ts'
import { toHyphenatedName } from '../packing/pack-skill.ts'
import { digestContent, type ContentEntry } from '../skills/content/content-manifest.ts'
import {
  digestCapabilities,
  listCapabilities,
  type Capability,
} from '../skills/manifest/capabilities.ts'
import { readMarkdown } from '../skills/manifest/markdown-source.ts'
import { toManifest } from '../skills/manifest/to-manifest.ts'
import { readToml } from '../skills/manifest/toml-source.ts'

/** A skill in memory that can be installed. */
export interface PreparedSkill {
  name: string
  version: string
  /** Name of its folder, as hosts of Agent Skills expect it. */
  folder: string
  tree: string
  files: readonly ContentEntry[]
  capabilities: readonly Capability[]
  capabilityDigest: string
  /** Paths with the executable bit. */
  executables: readonly string[]
}

/** Reads the manifest and the digests of fetched files. */
export function prepareSkill(files: readonly PackedFile[]): PreparedSkill {
  const toml = findText(files, 'skill.toml')
  const markdown = findText(files, 'SKILL.md')
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
  const content = describeFiles(files)
  const capabilities = listCapabilities(manifest)
  const written = manifest.frontMatter['name']
  return {
    name: manifest.name,
    version: manifest.version,
    folder: toHyphenatedName(typeof written === 'string' ? written : manifest.name),
    tree: digestContent(content),
    files: content.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    capabilities,
    capabilityDigest: digestCapabilities(capabilities),
    executables: files.filter(({ isExecutable }) => isExecutable).map(({ path }) => path),
  }
}

function findText(files: readonly PackedFile[], name: string): string | undefined {
  const file = files.find(({ path }) => path === name)
  return file && Buffer.from(file.bytes).toString('utf8')
}

/** Removes the files of `stageFiles`, if they were not installed. */
export function removeStaged(staged: string): void {
  rmSync(dirname(staged), { recursive: true, force: true })
}
