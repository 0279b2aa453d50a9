import { createHash } from 'node:crypto'
import { SkillsError } from '../../errors.ts'
import { isText } from '../../util/mime.ts'
import { formatBytes } from '../../util/quantity.ts'
import { readMarkdown } from '../skills/manifest/markdown-source.ts'
import type { Repository, SkillEntry } from '../skills/repository/repository.ts'
import { extractDocumentPart } from './extract-document-part.ts'
import { findDocs, listDocs } from './skill-docs.ts'

/** Limits in bytes: of one body or document in a request, and of all texts of one skill. */
const MAX_TEXT_BYTES = 256 * 1024
const MAX_SKILL_BYTES = 1024 * 1024

/** A body (null) or a document as shown in a request. */
export interface SkillText {
  doc: string | null
  text: string
  digest: string
}

type TextsRepository = Pick<Repository, 'files' | 'read'>

/**
 * A skill's body and its selected documents, body first. Each text and their total size are
 * limited.
 */
export async function readTexts(
  repository: TextsRepository,
  entry: SkillEntry,
  docs: '*' | readonly string[],
): Promise<SkillText[]> {
  const names = docs === '*' ? await listDocs(repository, entry) : docs
  const texts = [await readBody(repository, entry)]
  let size = Buffer.byteLength(texts[0]!.text)
  for (const { name, path, range } of await findDocs(repository, entry, names)) {
    const document = await readDocument(repository, entry, path)
    const text = range === undefined ? document : extractDocumentPart(document, range)
    checkTextSize(
      name,
      Buffer.byteLength(text),
      range === undefined ? `name a part of it, such as '${name}:1-200'` : `name fewer lines of it`,
    )
    size += Buffer.byteLength(text)
    if (size > MAX_SKILL_BYTES) throw tooManyTextBytesError(entry.name)
    texts.push(createSkillText(name, text))
  }
  return texts
}

/** The text of SKILL.md below its front matter. */
export async function readBody(repository: TextsRepository, entry: SkillEntry): Promise<SkillText> {
  const files = await repository.files(entry)
  if (!files.some((file) => file.path === 'SKILL.md'))
    return createSkillText(null, entry.description)
  const source = readMarkdown('SKILL.md', await readDocument(repository, entry, 'SKILL.md'))
  const body = source.text.slice(source.bodyStart).trim()
  checkTextSize('SKILL.md', Buffer.byteLength(body), undefined)
  const { data } = source.frontMatter
  const facts = [
    formatFact('Compatibility', data['compatibility']),
    formatFact('Tools', data['allowed-tools']),
  ]
  return createSkillText(null, [...facts.filter((each) => each !== undefined), body].join('\n'))
}

/** Compatibility and allowed tools from the front matter. */
function formatFact(title: string, value: unknown): string | undefined {
  const text = Array.isArray(value) ? value.join(', ') : value
  return typeof text === 'string' && text.trim() !== '' ? `${title}: ${text.trim()}` : undefined
}

async function readDocument(
  repository: TextsRepository,
  entry: SkillEntry,
  path: string,
): Promise<string> {
  const { bytes } = await repository.read(entry, path)
  if (!isText(bytes)) {
    throw new SkillsError('params/invalid', `'${path}' is not a text file`, {
      hint: 'Select text documents, or use the file by its path in a command',
      data: { param: 'docs', reason: 'no text' },
    })
  }
  return Buffer.from(bytes).toString('utf8')
}

function createSkillText(doc: string | null, text: string): SkillText {
  return { doc, text, digest: createHash('sha256').update(text).digest('hex').slice(0, 16) }
}

function checkTextSize(name: string, size: number, advice: string | undefined): void {
  if (size <= MAX_TEXT_BYTES) return
  throw new SkillsError(
    'file/too-large',
    `'${name}' has ${formatBytes(size)}, and a request takes at most ${formatBytes(MAX_TEXT_BYTES)} of it`,
    {
      hint:
        advice === undefined
          ? 'Move details out of SKILL.md into documents'
          : `Request less: ${advice}`,
      data: { size_bytes: size, max_bytes: MAX_TEXT_BYTES },
    },
  )
}

function tooManyTextBytesError(skill: string): SkillsError {
  return new SkillsError(
    'file/too-large',
    `The selected documents of '${skill}' have more than ${formatBytes(MAX_SKILL_BYTES)} together`,
    { hint: 'Select fewer documents', data: { max_bytes: MAX_SKILL_BYTES } },
  )
}
