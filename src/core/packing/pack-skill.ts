import { hash } from 'node:crypto'
import { SkillsError } from '../../errors.ts'
import { digestContent, type ContentEntry } from '../skills/content/content-manifest.ts'
import { toManifest } from '../skills/manifest/to-manifest.ts'
import { getExtension, writeArchive, type ArchiveFormatName } from './formats.ts'
import { findExceededLimits, type ExceededLimit } from './host-limits.ts'
import { describeFiles, type PackedFile } from './packed-file.ts'
import { findUnreadableManifest, parsePackedManifests } from './packed-manifests.ts'
import { readSkillFiles, type LeftOut, type SelectionOptions } from './read-skill-files.ts'

export interface SkillPackOptions extends SelectionOptions {
  formats: readonly ArchiveFormatName[]
}

/** An archive of a skill, in memory. */
export interface SkillArchive {
  format: ArchiveFormatName
  /** Name of the file. */
  file: string
  bytes: Uint8Array
  /** `sha256:<hex>` of its bytes. */
  digest: string
}

/** A skill with its archives. */
export interface PackedSkill {
  /** Name of the manifest. */
  skill: string
  /** Name of the folder in archives, in the format of Agent Skills. */
  published: string
  version: string
  /** Digest of the packed files, which is the digest of the folder after unpacking. */
  tree: string
  files: readonly ContentEntry[]
  leftOut: readonly LeftOut[]
  archives: readonly SkillArchive[]
  exceeded: readonly ExceededLimit[]
}

/** Packs a skill's folder. Writes nothing: the same folder gives the same bytes. */
export async function packSkill(folder: string, options: SkillPackOptions): Promise<PackedSkill> {
  const { files, leftOut } = await readSkillFiles(folder, options)
  if (!files.some(({ path }) => path === 'SKILL.md')) throw noMarkdownError(folder)
  const { name, version, published } = readSkillNames(folder, files)
  const archives: SkillArchive[] = []
  for (const format of options.formats) {
    const bytes = await writeArchive(format, files, { folder: published })
    const digest = `sha256:${hash('sha256', bytes)}`
    const file = `${published}-${version}${getExtension(format)}`
    archives.push({ format, file, bytes, digest })
  }
  const entries = describeFiles(files)
  const exceeded = findExceededLimits({
    files: entries.length,
    bytes: entries.reduce((sum, { size }) => sum + size, 0),
    archiveBytes: Math.max(0, ...archives.map(({ bytes }) => bytes.length)),
  })
  return {
    skill: name,
    published,
    version,
    tree: digestContent(entries),
    files: entries,
    leftOut,
    archives,
    exceeded,
  }
}

const AGENT_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const MAX_AGENT_NAME = 64

/** The manifest's name, and the one of the folder in archives, which hosts compare with SKILL.md. */
function readSkillNames(
  folder: string,
  files: readonly PackedFile[],
): { name: string; version: string; published: string } {
  const broken = findUnreadableManifest(files)
  if (broken) {
    throw invalidError(folder, `expected UTF-8 text of at most 1 MiB in "${broken.path}"`)
  }
  const { manifest, problems } = toManifest({ dir: folder, ...parsePackedManifests(files) })
  const [problem] = problems
  if (problem) throw invalidError(folder, problem.message)
  const { name, version, frontMatter } = manifest
  const written: unknown = frontMatter?.['name']
  const published =
    typeof written === 'string' && isAgentName(written) ? written : toHyphenatedName(name)
  return { name, version, published }
}

function isAgentName(name: string): boolean {
  return name.length <= MAX_AGENT_NAME && AGENT_NAME.test(name)
}

/** A name in the format of Agent Skills: lower-case words with hyphens. */
export function toHyphenatedName(name: string): string {
  const hyphenated = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return hyphenated.slice(0, MAX_AGENT_NAME).replace(/-$/, '') || 'skill'
}

function invalidError(folder: string, problem: string): SkillsError {
  return new SkillsError('skill/invalid', `Cannot pack the skill: ${problem}`, {
    hint: `Type "skills lint ${folder}" to list all problems`,
  })
}

function noMarkdownError(folder: string): SkillsError {
  return new SkillsError('skill/invalid', 'Cannot pack the skill: it has no SKILL.md', {
    hint: `Agents read SKILL.md first; type "skills lint ${folder}" for its format`,
  })
}
