import type { ResourceLink } from '@modelcontextprotocol/server'
import { isRunId } from '../../core/runs/history/run-id.ts'
import type { RunRecord } from '../../core/runs/history/run-record.ts'
import type { Runtime } from '../../core/runtime.ts'
import { LOGS, MAX_LOG_CHARACTERS, OUTPUT, buildRunUri } from './run-uri.ts'

/** Maximum number of links in one result; the result itself names all blobs. */
const MAX_LINKS = 50

/** Resource links to the blobs and the run that a result names, with MIME types and sizes. */
export async function collectLinks(
  runtime: Pick<Runtime, 'blobs' | 'runs'>,
  result: Readonly<Record<string, unknown>>,
): Promise<ResourceLink[]> {
  const { run_id: runId, output_blobs: blobs, blob_id: blobId, output } = result
  const ids = [
    ...collectBlobIds(blobs),
    ...collectBlobIds(blobId),
    ...collectBlobIds(findOutputBlob(output)),
  ]
  const links = await linkToBlobs(runtime, [...new Set(ids)].slice(0, MAX_LINKS))
  if (typeof runId !== 'string' || !isRunId(runId)) return links
  // Links are an addition: a record that cannot be read makes no result fail.
  const record = await (await runtime.runs()).get(runId).catch(() => undefined)
  if (record?.output) links.push(linkToOutput(runId, record))
  if (hasMoreLogs(result, record)) links.push(linkToLogs(runId, record))
  return links
}

/** False without logs, and if the result has all of them: that of a command whose output was not cut. */
function hasMoreLogs(
  { truncated }: Readonly<Record<string, unknown>>,
  record: RunRecord | undefined,
): boolean {
  if (record?.kind === 'workspace' && truncated !== true) return false
  return record?.logs.kept_bytes !== 0
}

/** A value that is too large for the result is stored in a blob. */
function findOutputBlob(output: unknown): unknown {
  const { truncated, blob_id: id } = (output ?? {}) as { truncated?: unknown; blob_id?: unknown }
  return truncated === true ? id : undefined
}

function collectBlobIds(value: unknown): string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  return values.filter((each) => typeof each === 'string' && each.startsWith('blob:')) as string[]
}

async function linkToBlobs(
  { blobs }: Pick<Runtime, 'blobs'>,
  ids: readonly string[],
): Promise<ResourceLink[]> {
  if (ids.length === 0) return []
  const store = await blobs()
  return await Promise.all(
    ids.map(async (id) => {
      const known = await store.info(id).catch(() => undefined)
      const facts = known && { mimeType: known.kind, size: known.size }
      return { type: 'resource_link' as const, uri: id, name: id, ...facts }
    }),
  )
}

function linkToOutput(id: string, record: RunRecord | undefined): ResourceLink {
  const size = record?.output && Buffer.byteLength(JSON.stringify(record.output.value))
  return linkToRun({ id, part: OUTPUT, mimeType: 'application/json', size })
}

function linkToLogs(id: string, record: RunRecord | undefined): ResourceLink {
  const stored = record?.logs.kept_bytes
  // Larger logs are shortened when they are read.
  const size = stored !== undefined && stored <= MAX_LOG_CHARACTERS ? stored : undefined
  return linkToRun({ id, part: LOGS, mimeType: 'text/plain', size })
}

interface RunPart {
  id: string
  part: typeof OUTPUT | typeof LOGS
  mimeType: string
  size: number | null | undefined
}

function linkToRun({ id, part, mimeType, size }: RunPart): ResourceLink {
  return {
    type: 'resource_link',
    uri: buildRunUri(id, part),
    name: `${part} of ${id}`,
    mimeType,
    ...(typeof size === 'number' && { size }),
  }
}
