import { refusedParam } from '../../../errors.ts'
import { loadArtifact, parseArtifactRef } from '../../workspaces/artifacts/artifacts.ts'
import { refNotFoundError } from '../../workspaces/artifacts/saved-files.ts'
import { getWorkspaceKey } from '../../workspaces/commands/skill-command.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import { countLineEnds } from '../../outputs/query/line-ends.ts'
import { toReadableStream } from '../../outputs/store/open-output.ts'
import type { OpenOutput } from '../../outputs/store/output-store.ts'

type OpenBlocks = () => AsyncIterable<Buffer> | Iterable<Buffer>

/** Opens a blob, or an artifact of the session, as an output; undefined for other handles. */
export async function openContent(
  services: Pick<Services, 'blobs' | 'workspaces'>,
  { artifactHandle: handle, session }: { artifactHandle: string; session?: string | undefined },
  call: Pick<RunCall, 'caller'>,
): Promise<OpenOutput | undefined> {
  if (handle.startsWith('blob:')) {
    const store = await services.blobs()
    return await toOutput(handle, () => readBlobBlocks(async () => await store.read(handle)))
  }
  if (!handle.startsWith('artifact://')) return undefined
  if (session === undefined) {
    throw refusedParam('session', 'An artifact needs the session that saved it')
  }
  const workspaces = await services.workspaces()
  const key = getWorkspaceKey(session, call)
  const place = { cwd: '/', env: {}, ...call }
  const found = await workspaces.use(key, place, async (workspace) => {
    return await loadArtifact(workspace, parseArtifactRef(handle))
  })
  if (!found) throw refNotFoundError(handle)
  return await toOutput(handle, () => [found.bytes])
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
