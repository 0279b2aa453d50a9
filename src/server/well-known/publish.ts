import { createHash } from 'node:crypto'
import type { Repository, SkillEntry } from '../../core/skills/repository/repository.ts'
import { listNewestVersions } from '../../core/skills/repository/select-version.ts'
import { writeArchive } from '../../core/packing/formats.ts'
import { toHyphenatedName } from '../../core/packing/pack-skill.ts'
import type { PackedFile } from '../../core/packing/packed-file.ts'
import { findForeignPathProblem, findPathConflict } from '../../core/packing/path-problems.ts'
import type { Document } from 'yaml'

/** A skill in the format that other tools download. */
export interface PublishedSkill {
  /** Name in Agent Skills format: lower-case words with hyphens. */
  name: string
  description: string
  paths: readonly string[]
  type: 'skill-md' | 'archive'
  /** `sha256:<hex>` of the file that the index refers to. */
  digest: string
}

const MAX_NAME = 64
const MAX_DESCRIPTION = 1024
/** Limits of downloading tools; a larger skill is not published. */
const MAX_FILES = 1000
const MAX_BYTES = 50 * 1024 ** 2

/** Assigns unique published names to the newest version of each skill. */
export function assignPublishedNames(entries: readonly SkillEntry[]): Map<string, SkillEntry> {
  const published = new Map<string, SkillEntry>()
  for (const entry of listNewestVersions(entries)) {
    const base = toHyphenatedName(entry.name)
    let name = base
    for (let at = 2; published.has(name); at++) name = `${base.slice(0, MAX_NAME - 4)}-${at}`
    published.set(name, entry)
  }
  return published
}

/** Builds the index entry of a skill; undefined if it is too large or not portable. Throws if it is unreadable. */
export async function publishSkill(
  repository: Repository,
  name: string,
  entry: SkillEntry,
): Promise<PublishedSkill | undefined> {
  const files = await readPublishedFiles(repository, name, entry)
  if (!files) return undefined
  const [only] = files
  const type = only && files.length === 1 ? 'skill-md' : 'archive'
  const bytes = type === 'archive' ? await createArchive(files) : (only as PackedFile).bytes
  return {
    name,
    type,
    description: truncateDescription(entry),
    paths: files.map((each) => each.path),
    digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
  }
}

/** Returns SKILL.md first, converted to a valid Agent Skill, and the other files unchanged. */
export async function readPublishedFiles(
  repository: Repository,
  name: string,
  entry: SkillEntry,
): Promise<PackedFile[] | undefined> {
  const listed = await repository.files(entry)
  const size = listed.reduce((sum, file) => sum + file.size, 0)
  if (listed.length > MAX_FILES || size > MAX_BYTES) return undefined
  const paths = listed.map(({ path }) => path)
  // Tools on other systems could not unpack it, or refuse it.
  if (findPathConflict(paths) ?? paths.find(findForeignPathProblem)) return undefined
  const hasOne = listed.some(({ path }) => path === 'SKILL.md')
  const others = listed.filter(({ path }) => path !== 'SKILL.md')
  const files: PackedFile[] = [
    {
      path: 'SKILL.md',
      isExecutable: false,
      bytes: await readMarkdown(repository, name, { entry, hasOne }),
    },
  ]
  for (const { path, isExecutable } of others) {
    const { bytes } = await repository.read(entry, path)
    files.push({ path, isExecutable: isExecutable === true, bytes })
  }
  return files
}

/** Creates a reproducible archive: equal skills give equal bytes. */
export async function createArchive(files: readonly PackedFile[]): Promise<Uint8Array> {
  return await writeArchive('tar.gz', files, { folder: '' })
}

async function readMarkdown(
  repository: Repository,
  name: string,
  { entry, hasOne }: { entry: SkillEntry; hasOne: boolean },
): Promise<Uint8Array> {
  const text = hasOne
    ? Buffer.from((await repository.read(entry, 'SKILL.md')).bytes).toString('utf8')
    : `# ${entry.name}\n\n${entry.description}\n`
  return Buffer.from(await adaptMarkdown(text, { name, description: truncateDescription(entry) }))
}

function truncateDescription({ description, name }: SkillEntry): string {
  return [...(description.trim() || name)].slice(0, MAX_DESCRIPTION).join('')
}

const FRONT_MATTER = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/

/**
 * Adds the front matter that every Agent Skill must have: its published name and a description.
 * Everything else is unchanged.
 */
export async function adaptMarkdown(
  text: string,
  facts: { name: string; description: string },
): Promise<string> {
  const { parseDocument, stringify } = await import('yaml')
  const match = FRONT_MATTER.exec(text)
  if (!match) return `---\n${stringify(facts)}---\n\n${text}`
  const body = text.slice(match[0].length)
  const document = parseDocument(match[1] ?? '')
  const frontMatter = readMapping(document)
  if (!frontMatter) return `---\n${stringify(facts)}---\n${body}`
  const { name, description } = frontMatter
  const hasDescription = typeof description === 'string' && description.trim() !== ''
  if (name === facts.name && hasDescription) return text
  document.set('name', facts.name)
  if (!hasDescription) document.set('description', facts.description)
  return `---\n${String(document)}---\n${body}`
}

function readMapping(document: Document.Parsed): Record<string, unknown> | undefined {
  if (document.errors.length > 0) return undefined
  const frontMatter: unknown = document.toJS({ maxAliasCount: 0 })
  const isMap =
    typeof frontMatter === 'object' && frontMatter !== null && !Array.isArray(frontMatter)
  return isMap ? (frontMatter as Record<string, unknown>) : undefined
}
