import { invalidParamError, SkillsError } from '../../errors.ts'
import { findNearest } from '../../util/find-nearest.ts'
import type { Repository, SkillEntry } from '../skills/repository/repository.ts'

/** Documentation in any folder of a skill. */
const DOCUMENTS = /\.(?:md|markdown|mdx|txt|rst|adoc|org|tex)$/i
/** Text that counts as documentation unless it is stored with programs or tests. */
const STRUCTURED = /\.(?:json|jsonl|yaml|yml|toml|ini|xml|html?|csv|tsv)$/i
const PROGRAM_FOLDERS = /^(?:code|src|scripts?|bin|lib|tests?|evals|fixtures|assets)\//i
/** Folders whose files are documentation, regardless of their extension. */
const DOCUMENT_FOLDERS = /^(?:docs?|references?|resources|examples)\//i
/** Binary files, which models cannot read. */
const BINARY =
  /\.(?:png|jpe?g|gif|webp|ico|bmp|tiff?|pdf|zip|gz|tgz|bz2|xz|7z|tar|wasm|so|dll|exe|bin|pyc|woff2?|ttf|otf|mp[34]|wav|ogg|webm|mov|docx|xlsx|pptx|sqlite|db)$/i
/** Files with a special role. */
const SPECIAL = /(?:^|\/)(?:SKILL\.md|skill\.toml|package-lock\.json)$/i
const HIDDEN = /(?:^|\/)[._][^/]*(?:\/|$)/

/** Maximum number of selected documents of one skill, and characters of a document's name. */
const MAX_DOCS = 200
const MAX_DOC_NAME = 512

type DocsRepository = Pick<Repository, 'files'>

/** Documents of a skill, sorted by path: the result of `skill_list_docs`. */
export async function listDocs(repository: DocsRepository, entry: SkillEntry): Promise<string[]> {
  const files = await repository.files(entry)
  return files
    .map((file) => file.path)
    .filter(isDocument)
    .sort((a, b) => (a < b ? -1 : 1))
}

function isDocument(path: string): boolean {
  if (SPECIAL.test(path) || HIDDEN.test(path) || BINARY.test(path)) return false
  if (DOCUMENTS.test(path) || DOCUMENT_FOLDERS.test(path)) return true
  return STRUCTURED.test(path) && !PROGRAM_FOLDERS.test(path)
}

/** A document, or a part of one: `USAGE.md`, `USAGE.md#install`, `USAGE.md:10-40`. */
interface DocReference {
  /** As written in the selection. */
  name: string
  path: string
  range: string | undefined
}

/**
 * Resolves the documents of a selection, sorted in the skill's order, without duplicates. Any file
 * of the skill is valid; the error for an unknown one suggests the nearest name.
 */
export async function findDocs(
  repository: DocsRepository,
  entry: SkillEntry,
  names: readonly string[],
): Promise<DocReference[]> {
  if (names.length > MAX_DOCS) throw tooManyDocsError(names.length)
  const files = (await repository.files(entry)).map((file) => file.path)
  const paths = new Set(files)
  const found = new Map<string, DocReference>()
  for (const name of names) {
    const reference = parseDocReference(name, paths)
    if (!reference) throw await createUnknownDocError(repository, entry, name)
    found.set(reference.name, reference)
  }
  return [...found.values()].sort((a, b) =>
    a.path === b.path ? (a.name < b.name ? -1 : 1) : a.path < b.path ? -1 : 1,
  )
}

function parseDocReference(name: string, files: ReadonlySet<string>): DocReference | undefined {
  if (name.length > MAX_DOC_NAME) return undefined
  const trimmed = name.trim().replace(/^(?:\.\/)+/, '')
  if (SPECIAL.test(trimmed) && !trimmed.includes('/')) return undefined
  if (files.has(trimmed)) return { name: trimmed, path: trimmed, range: undefined }
  const [, path, range] = /^(.+?)((?:#.+)|(?::\d+(?:-\d+)?))$/.exec(trimmed) ?? []
  if (path === undefined || !files.has(path)) return undefined
  return { name: trimmed, path, range }
}

async function createUnknownDocError(
  repository: DocsRepository,
  entry: SkillEntry,
  name: string,
): Promise<SkillsError> {
  const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name
  if (/^(?:\.\/){0,9}SKILL\.md$/i.test(name.trim())) {
    return invalidDocError(`'${shown}' is not a document: skill_load returns its body`, undefined)
  }
  const docs = await listDocs(repository, entry)
  const guess = name.length > 100 ? undefined : findNearest(name, docs)
  const has = docs.length === 0 ? 'It has none' : `It has ${formatDocList(docs)}`
  const hint = guess === undefined ? has : `Did you mean '${guess}'?`
  return invalidDocError(`skill '${entry.name}' has no document '${shown}'`, hint)
}

function tooManyDocsError(count: number): SkillsError {
  const reason = `expected at most ${MAX_DOCS} documents, got ${count}`
  return invalidParamError('docs', reason, 'Select only the documents that the task needs')
}

function formatDocList(docs: readonly string[]): string {
  const shown = docs.slice(0, 20).join(', ')
  return docs.length > 20 ? `${shown} and ${docs.length - 20} more` : shown
}

function invalidDocError(message: string, hint: string | undefined): SkillsError {
  return new SkillsError('params/invalid', message, {
    hint,
    data: { param: 'docs', reason: 'not found' },
  })
}
