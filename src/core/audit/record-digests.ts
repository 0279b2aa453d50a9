import type { AuditRecord } from './audit-record.ts'
import { isCallRecord } from './filter-records.ts'
import type { ChainLink } from './chain.ts'

/** Link of a run's first audit record, as the run record has it. */
export interface RunLink extends ChainLink {
  run: string
  /** `sha256:<hex>` of the complete run record; undefined if the run was interrupted. */
  record?: string | undefined
}

/** A run record that contradicts the log. */
interface RecordContradiction {
  run: string
  seq: number
  sentence: string
}

/** Compares run records with the digests that the log has of them. */
export class RecordDigests {
  #runs: readonly RunLink[]
  #linkedHashes: ReadonlySet<string>
  /** Ids of the runs that began with the linked records, by hash. */
  #begun = new Map<string, string>()
  /** Ids of these runs. A run that is left was not ended, or by an older version. */
  #ended = new Map<string, { seq: number; records: Readonly<Record<string, string>> } | undefined>()

  constructor(runs: readonly RunLink[]) {
    this.#runs = runs
    this.#linkedHashes = new Set(runs.map(({ hash }) => hash))
  }

  /** Reads one record of the log. They come in order, so the beginning of a run before its end. */
  add(record: AuditRecord): void {
    if (!isCallRecord(record)) return
    if (record.event === 'begun' && this.#linkedHashes.has(record.hash)) {
      this.#begun.set(record.hash, record.run_id)
      this.#ended.set(record.run_id, undefined)
    }
    const { event, run_id: id, records, seq } = record
    if (event === 'ended' && records && this.#ended.has(id)) this.#ended.set(id, { seq, records })
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
          : `The run record ${run} was changed: record ${seq} has another digest of it`
      return [{ run, seq, sentence }]
    })
  }
}
