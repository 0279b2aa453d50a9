import { refusedParam, SkillsError } from '../../../errors.ts'
import { loadArtifact, parseArtifactRef } from '../../workspaces/artifacts/artifacts.ts'
import { refNotFoundError } from '../../workspaces/artifacts/saved-files.ts'
import { getWorkspaceKey } from '../../workspaces/commands/skill-command.ts'
import { toWorkspacePath } from '../../workspaces/files/find-files.ts'
import type { Workspace } from '../../workspaces/workspace.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import { countLineEnds } from '../../outputs/query/line-ends.ts'
import { toReadableStream } from '../../outputs/store/open-output.ts'
import type { OpenOutput } from '../../outputs/store/output-store.ts'

const WORKSPACE = 'workspace://'

type OpenBlocks = () => AsyncIterable<Buffer> | Iterable<Buffer>

/** Larger files are searched by a command. */
const MAX_FILE_BYTES = 64 * 1024 ** 2
const BLOCK_BYTES = 256 * 1024

/** Opens a blob, or a file or an artifact of the session, as an output; undefined for other handles. */
export async function openContent(
  services: Pick<Services, 'blobs' | 'workspaces'>,
  { artifactHandle: handle, session }: { artifactHandle: string; session?: string | undefined },
  call: Pick<RunCall, 'caller'>,
): Promise<OpenOutput | undefined> {
  if (handle.startsWith('blob:')) {
    const store = await services.blobs()
    return await toOutput(handle, () => readBlobBlocks(async () => await store.read(handle)))
  }
  const isFile = handle.startsWith(WORKSPACE)
  if (!isFile && !handle.startsWith('artifact://')) return undefined
  if (session === undefined) {
    throw refusedParam('session', 'Files and artifacts need the session that has them')
  }
  const workspaces = await services.workspaces()
  const key = getWorkspaceKey(session, call)
  const place = { cwd: '/', env: {}, ...call }
  return await workspaces.use(key, place, async (workspace) => {
    if (isFile) {
      const blocks = await readFileBlocks(workspace, handle)
      return await toOutput(handle, () => blocks)
    }
    const found = await loadArtifact(workspace, parseArtifactRef(handle))
    if (!found) throw refNotFoundError(handle)
    return await toOutput(handle, () => [found.bytes])
  })
}

/** Reads a file at once, because a command may change it between two pages. */
async function readFileBlocks(workspace: Workspace, handle: string): Promise<Buffer[]> {
  const path = toWorkspacePath(handle.slice(WORKSPACE.length))
  const tree = await workspace.tree()
  const read = path === undefined ? undefined : tree.read(path, MAX_FILE_BYTES)
  if (!read) throw refNotFoundError(handle)
  if (read.size > read.bytes.length) {
    throw new SkillsError('file/too-large', `"${handle.slice(0, 200)}" is larger than 64 MiB`, {
      hint: 'Search it by a command, such as grep with workspace_exec',
    })
  }
  const count = Math.ceil(read.bytes.length / BLOCK_BYTES)
  return Array.from({ length: count }, (_, at) =>
    read.bytes.subarray(at * BLOCK_BYTES, (at + 1) * BLOCK_BYTES),
  )
}

async function* readBlobBlocks(open: () => Promise<AsyncIterable<unknown>>): AsyncIterable<Buffer> {
  for await (const block of await open()) yield block as Buffer
}

async function toOutput(handle: string, open: OpenBlocks): Promise<OpenOutput> {
  let [bytes, lineEnds] = [0, 0]
  for await (const block of open()) {
    bytes += block.length
    lineEnds += countLineEnds(block)
  }
  const read = async (take: (block: Buffer) => boolean) => {
    for await (const block of open()) if (!take(block)) return
  }
  const none = { bytes: 0, lineEnds: 0, read: async () => {} }
  return {
    handle,
    repo: null,
    language: null,
    about: undefined,
    streams: {
      stdout: toReadableStream(handle, { bytes, lineEnds, read }),
      stderr: toReadableStream(handle, none),
    },
    close: async () => {},
  }
}
