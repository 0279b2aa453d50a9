import { memoize } from '../../../util/memoize.ts'
import { listDocs } from '../../skill-context/skill-docs.ts'
import type { Repository, SkillEntry } from '../../skills/repository/repository.ts'
import { isText } from '../../../util/mime.ts'
import type { FoundSkillRow, SEARCHED_PARTS } from './definition.ts'

type SearchedPart = (typeof SEARCHED_PARTS)[number]

/** A skill that has all words. */
export interface SkillMatch {
  entry: SkillEntry
  /** Lower is better. */
  rank: number
  foundIn: SearchedPart[]
  excerpt: string | undefined
}

/** Bytes of documents that are searched per skill. */
const MAX_DOCUMENT_BYTES = 256 * 1024
const EXCERPT_CHARACTERS = 80

const PART_RANKS: Readonly<Record<SearchedPart, number>> = {
  name: 0,
  tags: 10,
  description: 20,
  inputs: 30,
  documents: 40,
}

/** Texts of an entry by part, lower case. An entry keeps its identity while its files are unchanged. */
const readFields = memoize((entry: SkillEntry): [SearchedPart, string][] => [
  ['name', entry.name.toLowerCase()],
  ['tags', entry.tags.join(' ').toLowerCase()],
  ['description', `${entry.shortDescription ?? ''} ${entry.description}`.toLowerCase()],
  ['inputs', entry.inputs.join(' ').toLowerCase()],
])

const documentTexts = memoize((_entry: SkillEntry): { text: Promise<string> | undefined } => ({
  text: undefined,
}))

/** Documents are read only for words that no other part has. */
export async function matchSkill(
  repository: Pick<Repository, 'files' | 'read'>,
  entry: SkillEntry,
  words: readonly string[],
): Promise<SkillMatch | undefined> {
  const match: SkillMatch = { entry, rank: 0, foundIn: [], excerpt: undefined }
  const fields = readFields(entry)
  const rest = words.filter((word) => {
    const part = fields.find(([, text]) => text.includes(word))?.[0]
    if (part === undefined) return true
    addPart(match, part)
    return false
  })
  if (rest.length === 0) return match
  const cache = documentTexts(entry)
  cache.text ??= readDocuments(repository, entry)
  const text = await cache.text
  const lower = text.toLowerCase()
  if (!rest.every((word) => lower.includes(word))) return undefined
  addPart(match, 'documents')
  match.excerpt = cutExcerpt(text, lower.indexOf(rest[0] as string))
  return match
}

function addPart(match: SkillMatch, part: SearchedPart): void {
  match.rank += PART_RANKS[part]
  if (!match.foundIn.includes(part)) match.foundIn.push(part)
}

async function readDocuments(
  repository: Pick<Repository, 'files' | 'read'>,
  entry: SkillEntry,
): Promise<string> {
  const texts: string[] = []
  let left = MAX_DOCUMENT_BYTES
  for (const path of ['SKILL.md', ...(await listDocs(repository, entry).catch(() => []))]) {
    if (left <= 0) break
    // A document that cannot be read is not found, as if it did not exist.
    const file = await repository.read(entry, path).catch(() => undefined)
    if (!file || !isText(file.bytes)) continue
    texts.push(Buffer.from(file.bytes.subarray(0, left)).toString('utf8'))
    left -= file.bytes.length
  }
  return texts.join('\n')
}

function cutExcerpt(text: string, at: number): string {
  const start = Math.max(0, at - EXCERPT_CHARACTERS / 2)
  const end = Math.min(text.length, at + EXCERPT_CHARACTERS)
  const cut = text.slice(start, end).replace(/\s+/g, ' ').trim()
  return `${start > 0 ? '…' : ''}${cut}${end < text.length ? '…' : ''}`
}

/** Facts of an entry in a result. */
export function toRow(
  { entry, foundIn, excerpt }: SkillMatch,
  missing: readonly string[],
): FoundSkillRow {
  const { name, version, description, namespace, kind, tags, inputs } = entry
  return {
    name,
    version,
    description,
    namespace,
    kind,
    tags,
    inputs,
    found_in: foundIn,
    missing,
    ...(excerpt !== undefined && { excerpt }),
  }
}
