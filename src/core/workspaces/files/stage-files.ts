import { createHash } from 'node:crypto'
import { waitForTurn } from '../../../util/slices/next-turn.ts'
import { runInSlices } from '../../../util/slices/run-in-slices.ts'
import { basename } from 'node:path'
import { loadArtifact, parseArtifactRef } from '../artifacts/artifacts.ts'
import { sniffMimeType, dropPartialCharacter } from './mime-type.ts'
import type { Workspace } from '../workspace.ts'
import { OutsideWorkspaceError, type WorkspaceTree } from './workspace-tree.ts'
import { writeWorkspaceFile } from './write-file.ts'

const MAX_NAME_BYTES = 200
const MAX_EXTENSION_BYTES = 20
const SNIFFED_BYTES = 65_536
const MESSAGE_SCHEME = 'user_message://'

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
  context: StagingContext,
): Promise<{ staged: StagedFile[]; warnings: string[] }> {
  return await context.workspace.spans.record(
    {
      name: 'workspace.stage.files',
      attributes: { 'skills.files.count': files.length },
      describe: ({ staged }) => ({ 'skills.files.staged': staged.length }),
    },
    async () => await stageEachFile(files, context),
  )
}

interface StagingContext {
  workspace: Workspace
  tree: WorkspaceTree
  readBlob: ReadBlob
}

async function stageEachFile(
  files: readonly ConversationFile[],
  context: StagingContext,
): Promise<{ staged: StagedFile[]; warnings: string[] }> {
  const staged: StagedFile[] = []
  const warnings: string[] = []
  for (const [index, file] of files.entries()) {
    await waitForTurn()
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
  context: StagingContext,
): Promise<StagedFile> {
  const { workspace, tree } = context
  const known = file.file_id === undefined ? undefined : findStagedFile(context, file.file_id)
  if (known) {
    return {
      ...known,
      ...(file.name !== undefined && { original_name: file.name }),
      ...(file.mime_type !== undefined && { mime_type: file.mime_type }),
    }
  }
  const bytes = await readFileBytes(file, context)
  const key = file.file_id ?? `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  const from = `${MESSAGE_SCHEME}${key}`
  const target =
    findStagedFile(context, key)?.name ?? (await findFreeName(tree, getFileName(file, number)))
  if (findStagedFile(context, key) === undefined) {
    writeWorkspaceFile(tree, target, { bytes })
    workspace.update(({ inputs }) => ({ inputs: { ...inputs, [target]: { from, key } } }))
  }
  return {
    name: target,
    ...(file.name !== undefined && { original_name: file.name }),
    mime_type: file.mime_type ?? sniffMimeType(target, bytes.subarray(0, SNIFFED_BYTES)),
    size_bytes: bytes.length,
  }
}

/** A file that was staged before and is still there; commands may have changed its content. */
function findStagedFile(
  { workspace, tree }: { workspace: Workspace; tree: WorkspaceTree },
  key: string,
): StagedFile | undefined {
  const from = `${MESSAGE_SCHEME}${key}`
  const [name] = Object.entries(workspace.state.inputs).find(([, each]) => each.from === from) ?? []
  if (name === undefined) return undefined
  const piece = tree.read(name, SNIFFED_BYTES)
  if (!piece) return undefined
  return { name, mime_type: sniffMimeType(name, piece.bytes), size_bytes: piece.size }
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
  const plain = basename(original.replaceAll('\\', '/'))
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    // A name that a command expands from a pattern must not be an option.
    .replace(/^-/, '_')
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
async function findFreeName(tree: WorkspaceTree, name: string): Promise<string> {
  const entries = await runInSlices(tree.list('work/inputs', { left: Infinity }))
  const taken = new Set(entries.map((each) => each.name.toLowerCase()))
  const [stem, extension] = splitExtension(name)
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${stem}_${number}${extension}`
    if (!taken.has(candidate.toLowerCase())) return `work/inputs/${candidate}`
  }
}
