import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { loadArtifact, parseArtifactRef } from '../artifacts/artifacts.ts'
import { sniffMimeType, dropPartialCharacter } from './mime-type.ts'
import type { Workspace } from '../workspace.ts'
import { OutsideWorkspaceError, type WorkspaceTree } from './workspace-tree.ts'
import { writeWorkspaceFile } from './write-file.ts'

const MAX_NAME_BYTES = 200
const MAX_EXTENSION_BYTES = 20

/** A file that was attached to the conversation. */
export interface ConversationFile {
  name?: string | undefined
  mime_type?: string | undefined
  /** The content in base64. */
  data?: string | undefined
  /** Identifies the file; `artifact://…` and `blob:…` are resolved. */
  file_id?: string | undefined
}

/** A staged file. */
export interface StagedFile {
  name: string
  original_name?: string
  mime_type: string
  size_bytes: number
}

/** Reads a blob; undefined if it is unavailable. */
type ReadBlob = (id: string) => Promise<Buffer | undefined>

/**
 * Writes a conversation's files into work/inputs, each once; unavailable ones only cause a warning.
 */
export async function stageConversationFiles(
  files: readonly ConversationFile[],
  context: { workspace: Workspace; tree: WorkspaceTree; readBlob: ReadBlob },
): Promise<{ staged: StagedFile[]; warnings: string[] }> {
  const staged: StagedFile[] = []
  const warnings: string[] = []
  for (const [index, file] of files.entries()) {
    try {
      staged.push(await stageConversationFile(file, index + 1, context))
    } catch (error) {
      if (!(error instanceof OutsideWorkspaceError)) throw error
      warnings.push(`user file input: ${error.message}`)
    }
  }
  return { staged, warnings }
}

async function stageConversationFile(
  file: ConversationFile,
  number: number,
  context: { workspace: Workspace; tree: WorkspaceTree; readBlob: ReadBlob },
): Promise<StagedFile> {
  const { workspace, tree } = context
  const bytes = await readFileBytes(file, context)
  const key = file.file_id ?? `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  const from = `user_message://${key}`
  const staged = Object.entries(workspace.state.inputs).find(([, input]) => input.from === from)
  const isThere = staged && tree.withEntry(staged[0], ({ stat }) => stat.isFile()) === true
  const target = isThere ? staged[0] : findFreeName(tree, getFileName(file, number))
  if (!isThere) {
    writeWorkspaceFile(tree, target, { bytes })
    workspace.update(({ inputs }) => ({ inputs: { ...inputs, [target]: { from, key } } }))
  }
  return {
    name: target,
    ...(file.name !== undefined && { original_name: file.name }),
    mime_type: file.mime_type ?? sniffMimeType(target, bytes.subarray(0, 65_536)),
    size_bytes: bytes.length,
  }
}

async function readFileBytes(
  { data, file_id: id }: ConversationFile,
  { workspace, readBlob }: { workspace: Workspace; readBlob: ReadBlob },
): Promise<Buffer> {
  if (data !== undefined) return Buffer.from(data, 'base64')
  if (id === undefined || id === '') throw new OutsideWorkspaceError('missing bytes and file_id')
  const found = id.startsWith('artifact://')
    ? (await loadArtifact(workspace, parseArtifactRef(id)))?.bytes
    : await readBlob(id)
  if (!found) throw new OutsideWorkspaceError(`"${id.slice(0, 200)}" is not available`)
  return found
}

/** File name without folders, for forward slashes and backslashes. */
function getFileName({ name, file_id: id }: ConversationFile, number: number): string {
  const inferred = id?.startsWith('artifact://') ? parseArtifactRef(id).name : undefined
  const original = name ?? inferred
  if (original === undefined) return `upload_${number}`
  // eslint-disable-next-line no-control-regex -- removes control characters from the name
  const plain = basename(original.replaceAll('\\', '/'))
    .replaceAll(/[\u0000-\u001f\u007f]/g, '')
    .trim()
  return ['', '.', '..', '/'].includes(plain) ? 'upload' : shortenName(plain)
}

/** Shortens by bytes, as file systems count; keeps the extension. */
function shortenName(name: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name
  const [stem, extension] = splitExtension(name)
  const kept = Buffer.byteLength(extension) < MAX_EXTENSION_BYTES ? extension : ''
  const room = MAX_NAME_BYTES - Buffer.byteLength(kept)
  return `${Buffer.from(dropPartialCharacter(Buffer.from(stem).subarray(0, room))).toString()}${kept}`
}

function splitExtension(name: string): [stem: string, ending: string] {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
}

/** `notes.txt`, `notes_2.txt` and so on; names that differ only in case are treated as equal. */
function findFreeName(tree: WorkspaceTree, name: string): string {
  const taken = new Set(tree.list('work/inputs').map((each) => each.name.toLowerCase()))
  const [stem, extension] = splitExtension(name)
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${stem}_${number}${extension}`
    if (!taken.has(candidate.toLowerCase())) return `work/inputs/${candidate}`
  }
}
