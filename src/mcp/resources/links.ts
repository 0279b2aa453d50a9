import type { ResourceLink } from '@modelcontextprotocol/server'
import { isRunId } from '../../core/runs/history/run-id.ts'
import { LOGS, OUTPUT, buildRunUri } from './run-uri.ts'

/** Links of one result; a run that made thousands of blobs names the rest in its result. */
const MAX_LINKS = 50

/** What a result refers to, as resources that a client can read. */
export function collectLinks(result: Readonly<Record<string, unknown>>): ResourceLink[] {
  const { run_id: runId, output_blobs: blobs, blob_id: blobId, output } = result
  const ids = [
    ...collectBlobIds(blobs),
    ...collectBlobIds(blobId),
    ...collectBlobIds(findOutputBlob(output)),
  ]
  const links = [...new Set(ids)].slice(0, MAX_LINKS).map(linkToBlob)
  if (typeof runId !== 'string' || !isRunId(runId)) return links
  if (output !== undefined) links.push(linkToRun(runId, OUTPUT))
  links.push(linkToRun(runId, LOGS))
  return links
}

/** A value that was too large to be answered lies in a blob. */
function findOutputBlob(output: unknown): unknown {
  const { truncated, blob_id: id } = (output ?? {}) as { truncated?: unknown; blob_id?: unknown }
  return truncated === true ? id : undefined
}

function collectBlobIds(value: unknown): string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  return values.filter((each) => typeof each === 'string' && each.startsWith('blob:')) as string[]
}

function linkToBlob(id: string): ResourceLink {
  return { type: 'resource_link', uri: id, name: id }
}

function linkToRun(id: string, part: typeof OUTPUT | typeof LOGS): ResourceLink {
  const mimeType = part === OUTPUT ? 'application/json' : 'text/plain'
  return { type: 'resource_link', uri: buildRunUri(id, part), name: `${part} of ${id}`, mimeType }
}
