import type { ResourceLink } from '@modelcontextprotocol/server'
import { isRunId } from '../../core/runs/history/run-id.ts'
import { LOGS, OUTPUT, buildRunUri } from './run-uri.ts'

/** Maximum number of links in one result; the result itself names all blobs. */
const MAX_LINKS = 50

/** Resource links to the blobs and the run that a result names. */
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

/** A value that is too large for the result is stored in a blob. */
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
