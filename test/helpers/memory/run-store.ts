import { Readable } from 'node:stream'
import { LogMeter } from '../../../src/core/runs/history/log-meter.ts'
import type { LogSource } from '../../../src/core/runs/history/log-pieces.ts'
import { runIdTakenError } from '../../../src/core/runs/history/open-record.ts'
import { checkRunId, runNotFoundError } from '../../../src/core/runs/history/run-id.ts'
import { collectPage } from '../../../src/core/runs/history/run-page.ts'
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
    async open(started, { maxLogBytes }) {
      const id = checkRunId(started.run_id)
      if (runs.has(id)) throw runIdTakenError(id)
      const run: Stored = { record: started, isOver: false, pieces: [] }
      const meter = new LogMeter(maxLogBytes)
      runs.set(id, run)
      return {
        log(piece, source = 'runtime') {
          const bytes = meter.add(Buffer.from(piece as Uint8Array), source)
          run.pieces.push({ source, bytes })
        },
        describeLogs: () => meter.describe(),
        async close(record) {
          Object.assign(run, { record, isOver: true })
        },
      }
    },
    async list(query = {}) {
      const { cursor, sinceMs = -Infinity, untilMs = Infinity } = query
      if (cursor !== undefined && !/^\d{4}-.*Z run_[0-9a-f]+$/.test(cursor)) {
        throw new SkillsError('params/invalid', 'Invalid params')
      }
      const listed = newest().filter((record) => {
        const startedMs = Date.parse(record.started_at)
        return (
          startedMs >= sinceMs && startedMs < untilMs && !(cursor && cursorOf(record) >= cursor)
        )
      })
      const read = Readable.from(listed.map((record) => ({ record })))
      return await collectPage(read, query, ({ record }) => cursorOf(record))
    },
    get: async (id) => find(id).record,
    async find(prefix, limit) {
      const start = prefix.startsWith('run_') ? prefix : `run_${prefix}`
      const ids = newest().map(({ run_id: id }) => id)
      return ids.filter((id) => id.startsWith(start)).slice(0, limit)
    },
    async logs(id, offset = 0) {
      const all = Buffer.concat(find(id).pieces.map(({ bytes }) => bytes))
      return Readable.from(all.length > offset ? [all.subarray(offset)] : [])
    },
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
