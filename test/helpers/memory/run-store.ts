import { Readable } from 'node:stream'
import { computeDigest } from '../../../src/core/runs/compute-digest.ts'
import { matchesQuery } from '../../../src/core/runs/history/match-query.ts'
import type { LogSource } from '../../../src/core/runs/history/log-pieces.ts'
import { runIdTakenError } from '../../../src/core/runs/history/open-record.ts'
import { checkRunId, runNotFoundError } from '../../../src/core/runs/history/run-id.ts'
import type { RunRecord } from '../../../src/core/runs/history/run-record.ts'
import type { RecordedStream, RunStore } from '../../../src/core/runs/history/run-store.ts'
import { SkillsError } from '../../../src/errors.ts'

interface Stored {
  record: RunRecord
  isOver: boolean
  pieces: { source: LogSource; bytes: Buffer }[]
}

/** In-memory run records. */
export function createMemoryRunStore({ ttlMs }: { ttlMs: number }): RunStore {
  const runs = new Map<string, Stored>()
  const isExpired = ({ record, isOver }: Stored) =>
    isOver && Date.parse(record.started_at) < Date.now() - ttlMs
  const find = (id: string): Stored => {
    const run = runs.get(id)
    if (!run || isExpired(run)) throw runNotFoundError(id)
    return run
  }
  const findOver = (id: string): Stored => {
    const run = find(id)
    if (!run.isOver) throw new SkillsError('run/busy', `The run "${id}" is still running`)
    return run
  }
  const newest = () =>
    [...runs.values()]
      .filter((each) => !isExpired(each))
      .map(({ record }) => record)
      .toSorted((a, b) => (cursorOf(a) < cursorOf(b) ? 1 : -1))
  return {
    async open(started) {
      const id = checkRunId(started.run_id)
      if (runs.has(id)) throw runIdTakenError(id)
      const run: Stored = { record: started, isOver: false, pieces: [] }
      runs.set(id, run)
      return {
        log(piece, source = 'runtime') {
          run.pieces.push({ source, bytes: Buffer.from(piece as Uint8Array) })
        },
        describeLogs() {
          const bytes = Buffer.concat(run.pieces.map((piece) => piece.bytes))
          return {
            size_bytes: bytes.length,
            kept_bytes: bytes.length,
            digest: computeDigest(bytes),
          }
        },
        async close(record) {
          Object.assign(run, { record, isOver: true })
        },
      }
    },
    async list({ limit = 50, cursor, ...query } = {}) {
      const isCursor = cursor === undefined || /^\d{4}-.*Z run_[0-9a-f]+$/.test(cursor)
      if (limit < 1 || !isCursor) throw new SkillsError('params/invalid', 'Invalid params')
      const wanted = newest().filter(
        (record) => matchesQuery(record, query) && (!cursor || cursorOf(record) < cursor),
      )
      const page = wanted.slice(0, limit)
      const last = wanted.length > limit ? page.at(-1) : undefined
      return { runs: page, next_cursor: last ? cursorOf(last) : null }
    },
    get: async (id) => find(id).record,
    async find(prefix, limit) {
      const start = prefix.startsWith('run_') ? prefix : `run_${prefix}`
      const ids = newest().map(({ run_id: id }) => id)
      return ids.filter((id) => id.startsWith(start)).slice(0, limit)
    },
    logs: async (id) => Readable.from(find(id).pieces.map(({ bytes }) => bytes)),
    async output(id) {
      const { record, pieces } = findOver(id)
      const stream = (name: LogSource) =>
        recorded(pieces.filter(({ source }) => source === name).map(({ bytes }) => bytes))
      return { record, stdout: stream('stdout'), stderr: stream('stderr') }
    },
    async remove(id) {
      findOver(id)
      runs.delete(id)
    },
    async expire({ dryRun = false } = {}) {
      const expired = [...runs.values()].filter(isExpired)
      if (!dryRun) for (const { record } of expired) runs.delete(record.run_id)
      const remaining = [...runs.values()].filter((each) => !expired.includes(each))
      const bytesOf = (all: Stored[]) => JSON.stringify(all).length
      const count = remaining.length
      return {
        removed: expired.length,
        bytesFreed: bytesOf(expired),
        kept: { count, bytes: bytesOf(remaining) },
      }
    },
  }
}

function cursorOf({ started_at: startedAt, run_id: id }: RunRecord): string {
  return `${startedAt} ${id}`
}

function recorded(pieces: readonly Buffer[]): RecordedStream {
  const all = Buffer.concat(pieces)
  return {
    bytes: all.length,
    lineEnds: all.filter((byte) => byte === 10).length,
    async read(take) {
      for (const piece of pieces) if (!take(piece)) return
    },
  }
}
