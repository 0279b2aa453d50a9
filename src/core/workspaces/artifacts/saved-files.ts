import { refusedParam, SkillsError } from '../../../errors.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import { formatArtifactRef, parseArtifactRef, readArtifact, saveArtifact } from './artifacts.ts'
import { toWorkspacePath } from '../files/find-files.ts'
import { sniffMimeType, decodeText, dropPartialCharacter } from '../files/mime-type.ts'
import { getWorkspaceKey } from '../commands/skill-command.ts'

const MAX_ARTIFACT = 64 * 1024 ** 2
const MAX_READ = 4 * 1024 ** 2
const DEFAULT_READ = 64 * 1024

export interface SavedFile {
  path: string
  saved_as: string
  version: number
  ref: string
  mime_type: string
  size_bytes: number
}

/** Stores a file of the workspace as a new version of an artifact. */
export async function saveFromWorkspace(
  services: Services,
  { session, path, name: savedName }: { session: string; path: string; name?: string | undefined },
  call: RunCall,
): Promise<SavedFile> {
  const name = parseArtifactPath(path)
  const workspaces = await services.workspaces()
  return await workspaces.use(getWorkspaceKey(session, call), call, async (workspace) => {
    const read = (await workspace.tree()).read(name, MAX_ARTIFACT)
    if (!read)
      throw refusedParam('path', `workspace artifact file not found: ${path.slice(0, 200)}`)
    if (read.size > read.bytes.length) {
      throw new SkillsError('file/too-large', `"${name}" is larger than 64 MiB`, {
        hint: 'Save a smaller file, or several parts of it',
      })
    }
    const { quotaBytes } = services.config.store
    const mimeType = sniffMimeType(name, read.bytes.subarray(0, 65_536))
    const saved = await saveArtifact(workspace, savedName ?? name, {
      bytes: read.bytes,
      mimeType,
      quotaBytes,
    })
    return {
      path: name,
      saved_as: saved.name,
      version: saved.version,
      ref: formatArtifactRef(saved),
      mime_type: mimeType,
      size_bytes: saved.size_bytes,
    }
  })
}

/** A piece of the content behind a ref. */
interface WorkspaceReadResult {
  ref: string
  mime_type: string
  size_bytes: number
  /** Present if the content is text. */
  content?: string
  /** Base64; present if the content is not text. */
  data?: string
  /** Offset of the next piece; absent after the last one. */
  next_offset?: number
}

/** Reads a piece of a workspace file or an artifact. */
export async function readFromWorkspace(
  services: Services,
  params: {
    session: string
    ref: string
    offset?: number | undefined
    max_bytes?: number | undefined
  },
  call: RunCall,
): Promise<WorkspaceReadResult> {
  const { ref } = params
  const workspaces = await services.workspaces()
  return await workspaces.use(getWorkspaceKey(params.session, call), call, async (workspace) => {
    const offset = Math.max(0, params.offset ?? 0)
    const maxBytes = Math.min(Math.max(1, params.max_bytes ?? DEFAULT_READ), MAX_READ)
    if (ref.startsWith('artifact://')) {
      const found = await readArtifact(workspace, parseArtifactRef(ref), { offset, maxBytes })
      if (!found) throw refNotFoundError(ref)
      const { mime_type: mime, size_bytes: size, bytes } = found
      return toReadResult({ ref, mime, size, bytes, offset })
    }
    const plain = toWorkspacePath(ref.replace(/^workspace:\/\//, ''))
    const read =
      plain === undefined ? undefined : (await workspace.tree()).readAt(plain, offset, maxBytes)
    if (plain === undefined || !read) throw refNotFoundError(ref)
    return toReadResult({
      ref,
      mime: sniffMimeType(plain, read.bytes),
      size: read.size,
      bytes: read.bytes,
      offset,
    })
  })
}

function toReadResult(read: {
  ref: string
  mime: string
  size: number
  bytes: Buffer
  offset: number
}): WorkspaceReadResult {
  const { ref, mime, size, bytes, offset } = read
  const complete = dropPartialCharacter(bytes).length
  // A partial character alone is not text.
  const content = complete === 0 && bytes.length > 0 ? undefined : decodeText(mime, bytes)
  const next = offset + (content === undefined ? bytes.length : complete)
  return {
    ref,
    mime_type: mime,
    size_bytes: size,
    ...(content === undefined ? { data: bytes.toString('base64') } : { content }),
    ...(next < size && bytes.length > 0 && { next_offset: next }),
  }
}

/** Accepts paths below work/, out/ or runs/. */
function parseArtifactPath(path: string): string {
  const trimmed = path.trim()
  if (trimmed === '') throw refusedParam('path', 'path is required')
  if (/[*?[\]{}]/.test(trimmed)) throw refusedParam('path', 'path must not contain glob patterns')
  const plain = toWorkspacePath(trimmed.replace(/^workspace:\/\//, ''))
  if (plain === undefined || plain.includes('\\') || plain.split('/').includes('..')) {
    throw refusedParam('path', 'path must stay within the workspace')
  }
  const name = plain
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')
  if (/^(?:work|out|runs)\/./.test(name)) return name
  throw refusedParam('path', 'path must stay under supported artifact roots: work/, out/ or runs/')
}

/** A ref that the session does not have. */
export function refNotFoundError(ref: string): SkillsError {
  return new SkillsError(
    'file/not-found',
    `"${ref.slice(0, 200)}" does not exist in this session`,
    {
      hint: 'Use a ref that a tool of the same session returned',
    },
  )
}
