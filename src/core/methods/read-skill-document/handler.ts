import { SkillsError } from '../../../errors.ts'
import { isText } from '../../../util/mime.ts'
import { formatBytes } from '../../../util/quantity.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import { readMarkdown } from '../../skills/manifest/markdown-source.ts'
import type { PlainObject } from '../../skills/manifest/manifest.ts'
import type { ReadSkillDocumentParams, ReadSkillDocumentResult } from './definition.ts'

const MAX_BYTES = 512 * 1024
/** The time of the parser grows with the square of some texts. */
const TIMEOUT_MS = 3000

/** `read_skill_document`: parses a document. Nothing of it is executed or fetched. */
export async function readSkillDocument(
  { repository, offloader }: Pick<Services, 'repository' | 'offloader'>,
  { name, version, path = 'SKILL.md' }: ReadSkillDocumentParams,
  { signal }: Pick<RunCall, 'signal'>,
): Promise<ReadSkillDocumentResult> {
  const entry = await repository.resolve(name, version)
  const { bytes } = await repository.read(entry, path)
  if (bytes.length > MAX_BYTES) {
    throw refuseDocument(path, `it has more than ${formatBytes(MAX_BYTES)}`)
  }
  if (!isText(bytes)) throw refuseDocument(path, 'it is not text')
  const source = readMarkdown(path, Buffer.from(bytes).toString('utf8'))
  const text = source.text.slice(source.bodyStart)
  const tree = await (
    await offloader()
  ).perform('document', { text }, { timeoutMs: TIMEOUT_MS, signal })
  return { path, size_bytes: bytes.length, tree: tree as unknown as PlainObject }
}

function refuseDocument(path: string, problem: string): SkillsError {
  return new SkillsError('params/invalid', `"${path}" cannot be shown as a document: ${problem}`, {
    hint: 'Read it as a file with read_skill_file',
    data: { param: 'path', reason: problem },
  })
}
