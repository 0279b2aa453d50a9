import type { AuditEntry, AuditRecord } from './audit-record.ts'
import { isCallRecord } from './filter-records.ts'
import { listRemovedRuns } from './removal-records.ts'
import type { ChainLink } from './chain.ts'

/** Link of a run's first audit record, as the run record has it. */
export interface RunLink extends ChainLink {
  run: string
  /** `sha256:<hex>` of the complete run record; undefined if the run was interrupted. */
  record?: string | undefined
}

/** The run records that a log is compared with. */
export interface RunRecords {
  links: readonly RunLink[]
  /** In milliseconds: records of runs that began since then exist, unless the log has their removal. */
  keptSinceMs?: number
  /** In milliseconds: start of the oldest record that exists. */
  oldestMs?: number | undefined
  /** True if another process may have declared a run interrupted that then ended. */
  mayLackEnds?: boolean
  /**
   * Reads a record that is not among the links: its digest; null if it has no end, undefined if it
   * does not exist.
   */
  find?: (run: string) => Promise<string | null | undefined>
}

/** A digest that the log has of a run record. */
interface ExpectedRecord {
  run: string
  seq: number
  digest: string
}

/** A run record that contradicts the log. */
export interface RecordContradiction {
  run: string
  seq: number
  sentence: string
}

type CallRecord = Extract<AuditRecord, AuditEntry>

/** Compares run records with the digests that the log has of them. */
export class RecordDigests {
  #runs: readonly RunLink[]
  #keptSinceMs: number
  /** Runs with a complete record. */
  #complete: ReadonlySet<string>
  /** Times at which runs began that have not ended yet. */
  #beginnings = new Map<string, string>()
  /** Digests of records that are not among the complete ones, by run. */
  #expected = new Map<string, ExpectedRecord>()
  #linkedHashes: ReadonlySet<string>
  /** Ids of the runs that began with the linked records, by hash. */
  #begun = new Map<string, string>()
  /** Ids of these runs. A run that is left was not ended. */
  #ended = new Map<string, { seq: number; records: Readonly<Record<string, string>> } | undefined>()

  constructor({ links, keptSinceMs = Infinity }: RunRecords) {
    this.#runs = links
    this.#keptSinceMs = keptSinceMs
    this.#linkedHashes = new Set(links.map(({ hash }) => hash))
    this.#complete = new Set(links.flatMap(({ run, record }) => (record === undefined ? [] : run)))
  }

  /** Reads one record of the log. They come in order, so the beginning of a run before its end. */
  add(record: AuditRecord): void {
    for (const run of listRemovedRuns(record)) this.#expected.delete(run)
    if (!isCallRecord(record)) return
    this.#expectRecords(record)
    if (record.event === 'begun' && this.#linkedHashes.has(record.hash)) {
      this.#begun.set(record.hash, record.run_id)
      this.#ended.set(record.run_id, undefined)
    }
    const { event, run_id: id, records, seq } = record
    if (event === 'ended' && records && this.#ended.has(id)) this.#ended.set(id, { seq, records })
  }

  #expectRecords({ event, run_id: id, time, seq, records = {} }: CallRecord): void {
    if (this.#keptSinceMs === Infinity) return
    if (event === 'begun') this.#beginnings.set(id, time)
    if (event !== 'ended') return
    const began = Date.parse(this.#beginnings.get(id) ?? time)
    this.#beginnings.delete(id)
    if (began < this.#keptSinceMs) return
    for (const [run, digest] of Object.entries(records)) {
      if (!this.#complete.has(run)) this.#expected.set(run, { run, seq, digest })
    }
  }

  /** Returns the digests of records that are not among the complete ones. */
  listExpected(): ExpectedRecord[] {
    return [...this.#expected.values()]
  }

  /** Returns the run records that were changed, or that no run of the log has written. */
  compare(): RecordContradiction[] {
    return this.#runs.flatMap(({ run, hash, record }) => {
      const ended = this.#ended.get(this.#begun.get(hash) ?? '')
      if (record === undefined || !ended) return []
      const { seq, records } = ended
      const digest = Object.hasOwn(records, run) ? records[run] : undefined
      if (digest === record) return []
      const sentence =
        digest === undefined
          ? `Record ${seq} knows no run record ${run}, although it refers to that run`
          : describeChange(run, seq)
      return [{ run, seq, sentence }]
    })
  }
}

function describeChange(run: string, seq: number): string {
  return `The run record ${run} was changed: record ${seq} has another digest of it`
}

/**
 * Reads the records that the log expects and that no list had: those that were removed, cut short, or
 * written meanwhile. Stops after `limit` findings.
 */
export async function findLostRecords(
  expected: readonly ExpectedRecord[],
  { find, mayLackEnds }: Pick<RunRecords, 'find' | 'mayLackEnds'>,
  limit: number,
): Promise<RecordContradiction[]> {
  const lost: RecordContradiction[] = []
  for (const { run, seq, digest } of find ? expected : []) {
    if (lost.length >= limit) break
    const found = await find?.(run)
    if (found === digest || (found === null && mayLackEnds === true)) continue
    const sentence =
      found === undefined
        ? `The run record ${run} is missing: record ${seq} has its digest`
        : found === null
          ? `The run record ${run} was cut short: record ${seq} has the digest of its end`
          : describeChange(run, seq)
    lost.push({ run, seq, sentence })
  }
  return lost
}
