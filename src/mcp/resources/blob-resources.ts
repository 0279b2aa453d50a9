import {
  ResourceTemplate,
  type McpServer,
  type ReadResourceResult,
} from '@modelcontextprotocol/server'
import { SkillsError } from '../../errors.ts'
import type { ToolCaller } from '../../rpc/tool-caller.ts'
import { isText } from '../../util/mime.ts'
import { formatBytes } from '../../util/quantity.ts'
import { toReadError } from './read-error.ts'

export const BLOB_TEMPLATE = 'blob:{id}'

/** A resource is returned in one piece; larger blobs are sampled with `read_blob`. */
const MAX_BLOB_BYTES: number = 8 * 1024 ** 2

/** Blobs by id. They are not listed, because knowing an id grants access. */
export function addBlobResources(server: McpServer, caller: ToolCaller): void {
  server.registerResource(
    'blob',
    new ResourceTemplate(BLOB_TEMPLATE, { list: undefined }),
    {
      title: 'Blob',
      description: 'Large content that a run created or that create_blob stored',
    },
    async ({ href }) => {
      try {
        return await readBlob(caller, href)
      } catch (thrown) {
        throw toReadError(caller, href, thrown)
      }
    },
  )
}

async function readBlob({ runtime }: ToolCaller, uri: string): Promise<ReadResourceResult> {
  const store = await runtime.blobs()
  const { id, kind, size } = await store.info(uri)
  if (size > MAX_BLOB_BYTES) throw blobTooLargeError(id, size)
  const chunks: Buffer[] = []
  for await (const chunk of await store.read(id)) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  const content = isText(bytes)
    ? { text: bytes.toString('utf8') }
    : { blob: bytes.toString('base64') }
  return { contents: [{ uri, mimeType: kind, ...content }] }
}

function blobTooLargeError(id: string, size: number): SkillsError {
  const limit = formatBytes(MAX_BLOB_BYTES)
  return new SkillsError(
    'blob/too-large',
    `${id} has ${formatBytes(size)}, expected at most ${limit} for a resource`,
    { hint: 'Read a sample of it with the tool read_blob' },
  )
}
