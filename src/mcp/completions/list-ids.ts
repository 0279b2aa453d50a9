import type { RunRecord } from '../../core/runs/history/run-record.ts'
import type { ToolCaller } from '../../rpc/tool-caller.ts'
import { MAX_VALUES, type Candidates } from './select-matches.ts'

/** Blobs of the local operator that are listed, newest first. */
const MAX_LISTED_BLOBS = 1000
/** Records that are searched for those of one caller. */
const MAX_SEARCHED_RUNS = 500
const PAGE = 100

/** Ids of runs: all of them for the local operator, else those of this caller. */
export async function listRunIds(caller: ToolCaller, prefix: string): Promise<Candidates> {
  if (!caller.isOwner) {
    const { runs, isPartial } = await findOwnRuns(caller)
    return { values: runs.map(({ run_id: id }) => id), isPartial }
  }
  const values = await (await caller.runtime.runs()).find(prefix, MAX_VALUES + 1)
  return { values, isPartial: values.length > MAX_VALUES }
}

/**
 * Ids of blobs as in their template, without `blob:`. An id grants access: a caller other than the
 * local operator gets only those that its own runs returned.
 */
export async function listBlobIds(caller: ToolCaller): Promise<Candidates> {
  if (caller.isOwner) {
    const { blobs, total } = await (await caller.runtime.blobs()).list({ limit: MAX_LISTED_BLOBS })
    return { values: blobs.map(({ id }) => toVariable(id)), isPartial: total > blobs.length }
  }
  const { runs, isPartial } = await findOwnRuns(caller)
  const ids = runs.flatMap(({ blobs }) => blobs.map(({ blob_id: id }) => toVariable(id)))
  return { values: ids, isPartial }
}

function toVariable(id: string): string {
  return id.slice('blob:'.length)
}

async function findOwnRuns(
  caller: ToolCaller,
): Promise<{ runs: readonly RunRecord[]; isPartial: boolean }> {
  const store = await caller.runtime.runs()
  const own: RunRecord[] = []
  let cursor: string | undefined
  for (let searched = 0; searched < MAX_SEARCHED_RUNS; searched += PAGE) {
    const { runs, next_cursor: next } = await store.list({ limit: PAGE, cursor })
    own.push(...runs.filter(({ who }) => who.caller === caller.name))
    if (next === null) return { runs: own, isPartial: false }
    cursor = next
  }
  return { runs: own, isPartial: true }
}
