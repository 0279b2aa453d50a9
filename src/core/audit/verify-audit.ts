import type { AuditRecord } from './audit-record.ts'
import type { AuditLine, AuditSource } from './audit-source.ts'
import { decodeLine, CHAIN_START, type ChainLink, type DecodedLine } from './chain.ts'
import {
  findLostRecords,
  RecordDigests,
  type RecordContradiction,
  type RunRecords,
} from './record-digests.ts'

/** A difference between the log and what was written to it. */
export interface AuditProblem {
  code:
    | 'broken'
    | 'changed'
    | 'missing'
    | 'out-of-order'
    | 'replaced'
    | 'cut'
    | 'damaged'
    | 'anchor'
    | 'run'
  /** Number of the record at which the problem was found. */
  seq: number
  /** `segment:line`; undefined if no line is left to refer to. */
  place?: string
  sentence: string
}

/** Result of verifying a log. */
export interface AuditReport {
  records: number
  files: number
  /** First and last record; null if the log is empty. */
  first: ChainLink | null
  last: ChainLink | null
  /** Number of records removed by retention. */
  removed: number
  /** Number of partial records that crashes left and that were cut off. */
  repaired: number
  /** True if the log ends in a partial record: after a crash, or during a write. */
  endsTorn: boolean
  problems: AuditProblem[]
}

/** Limit on reported problems; further ones usually follow from these. */
const MAX_PROBLEMS = 100
/**
 * Limit on restarts because of segments that pruning removed. Pruning by age is rare; a segment
 * that vanishes in every attempt is a problem to report.
 */
const MAX_ATTEMPTS = 20

/**
 * Reads a log from its beginning and follows the chain. It reports records that do not continue the
 * chain, an end that differs from the head, and records that contradict an anchor stored elsewhere.
 * Writers may append meanwhile.
 */
export async function verifyAudit(
  source: AuditSource,
  anchors: readonly ChainLink[] = [],
  runs: RunRecords = { links: [] },
): Promise<AuditReport> {
  for (let attempts = MAX_ATTEMPTS; ; attempts--) {
    // Read before the records: those appended meanwhile come after the head.
    const head = await source.head()
    const check = new ChainVerifier(anchors, head, runs)
    const segments = await source.segments()
    for (const segment of segments) {
      for await (const batch of segment.lines()) {
        for (const line of batch) check.checkLine(line, segment.name, segment === segments.at(-1))
      }
    }
    // Restart: a segment that pruning removed during the read looks like a deleted one.
    const remaining = new Set((await source.segments()).map(({ name }) => name))
    if (attempts > 0 && !segments.every(({ name }) => remaining.has(name))) continue
    const lost = await findLostRecords(check.listExpected(), runs, MAX_PROBLEMS)
    // Restart: a record that was removed during the read looks like a lost one.
    if (lost.length > 0 && attempts > 1) attempts = 2
    else return check.finish(segments.length, lost)
  }
}

/** Follows one chain, line by line. */
export class ChainVerifier {
  #anchors: readonly ChainLink[]
  #head: ChainLink | undefined
  #last: ChainLink = CHAIN_START
  #first: ChainLink | null = null
  #records = 0
  #repaired = 0
  #endsTorn = false
  #problems: AuditProblem[] = []
  #runs: RunRecords['links']
  #digests: RecordDigests
  /** Numbers of the records that anchors, runs and the head refer to. */
  #requestedSeqs: ReadonlySet<number>
  #hashBySeq = new Map<number, string>()
  /**
   * Set if the log does not start with record 1: the link before the first record, and its
   * location.
   */
  #missingStart: { before: ChainLink; place: string } | undefined
  /** Hashes of the last records of pruned segments, as later records state them. */
  #prunedHashBySeq = new Map<number, string>()

  constructor(anchors: readonly ChainLink[], head: ChainLink | undefined, runs: RunRecords) {
    this.#anchors = anchors
    this.#head = head
    this.#runs = runs.links
    this.#digests = new RecordDigests(runs)
    this.#requestedSeqs = new Set(
      [...anchors, ...runs.links, ...(head ? [head] : [])].map(({ seq }) => seq),
    )
  }

  /** Returns the record of the line; undefined if it is not one. */
  checkLine(line: AuditLine, segment: string, isNewest: boolean): DecodedLine | undefined {
    const location = `${segment}:${line.number}`
    const decoded = decodeLine(line.text)
    if (!line.isWhole && isNewest) {
      // The next writer cuts it off and records that.
      this.#endsTorn = true
      return undefined
    }
    if (!decoded) {
      this.#addProblem('broken', location, 'This line is not a record')
      return undefined
    }
    const { record, isIntact } = decoded
    this.#records += 1
    if (!isIntact)
      this.#addProblem('changed', location, `Record ${record.seq} was changed`, record.seq)
    this.#checkLink(record, location)
    if (isIntact) {
      this.#countRepair(record, location)
      this.#digests.add(record)
    }
    this.#last = { seq: record.seq, hash: record.hash }
    this.#first ??= this.#last
    this.#collectHash(this.#last)
    return decoded
  }

  #checkLink({ seq, prev }: { seq: number; prev: string }, location: string): void {
    const expected = this.#last.seq + 1
    if (this.#first === null && seq > expected) {
      this.#missingStart = { before: { seq: seq - 1, hash: prev }, place: location }
      return
    }
    if (seq > expected) {
      const which =
        seq - 1 === expected ? `Record ${expected} is` : `Records ${expected} to ${seq - 1} are`
      this.#addProblem('missing', location, `${which} missing`, expected)
    } else if (seq < expected) {
      this.#addProblem(
        'out-of-order',
        location,
        seq === this.#last.seq
          ? `There are two records ${seq}`
          : `Record ${seq} comes after record ${this.#last.seq}`,
        seq,
      )
    } else if (prev !== this.#last.hash) {
      this.#addProblem(
        'replaced',
        location,
        `Record ${seq} is chained to a different record ${seq - 1}`,
        seq,
      )
    }
  }

  /**
   * True if the start of the log was removed legitimately: an anchor names the archived end, or the
   * log records the pruning.
   */
  #checkStart(): boolean {
    if (!this.#missingStart) return false
    const { before, place: location } = this.#missingStart
    if (this.#anchors.some(({ seq, hash }) => seq === before.seq && hash === before.hash)) {
      return true
    }
    if (this.#prunedHashBySeq.get(before.seq) === before.hash) return true
    const which = before.seq === 1 ? 'Record 1 is' : `Records 1 to ${before.seq} are`
    const sentence = `${which} missing`
    this.#problems.unshift({ code: 'missing', seq: 1, place: location, sentence })
    return false
  }

  #countRepair(record: AuditRecord, location: string): void {
    if (record.event === 'pruned') {
      const { seq, hash } = (record['through'] ?? CHAIN_START) as ChainLink
      this.#prunedHashBySeq.set(seq, hash)
    }
    if (record.event === 'repaired') this.#repaired += 1
    if (record.event !== 'damaged') return
    const { problem } = record
    this.#addProblem(
      'damaged',
      location,
      `${problem}: detected when record ${record.seq} was written`,
      record.seq,
    )
  }

  #collectHash({ seq, hash }: ChainLink): void {
    if (this.#requestedSeqs.has(seq)) this.#hashBySeq.set(seq, hash)
  }

  listExpected(): ReturnType<RecordDigests['listExpected']> {
    return this.#digests.listExpected()
  }

  finish(files: number, lost: readonly RecordContradiction[] = []): AuditReport {
    const isShortened = this.#checkStart()
    this.#checkHead()
    this.#checkAnchors(isShortened)
    this.#checkRuns(isShortened, lost)
    const last = this.#records === 0 ? null : this.#last
    const { length } = this.#problems
    const problems = this.#problems.slice(0, MAX_PROBLEMS)
    if (length > MAX_PROBLEMS) {
      const sentence = `${length - MAX_PROBLEMS} more problems are not shown`
      problems.push({ code: 'broken', seq: 0, sentence })
    }
    const [records, repaired, endsTorn] = [this.#records, this.#repaired, this.#endsTorn]
    const removed = isShortened ? (this.#first?.seq ?? 1) - 1 : 0
    return { records, files, first: this.#first, last, removed, repaired, endsTorn, problems }
  }

  #checkAnchors(isShortened: boolean): void {
    const before = this.#missingStart?.before ?? CHAIN_START
    for (const { seq, hash } of this.#anchors) {
      const found = seq === before.seq ? before.hash : this.#hashBySeq.get(seq)
      if (found === hash) continue
      const what =
        found === undefined ? `Record ${seq} is missing` : `Record ${seq} has a different hash`
      const isRemoved = isShortened && seq < before.seq
      const sentence = isRemoved
        ? `Record ${seq} was removed by retention and cannot be compared: use a later anchor`
        : `${what}, expected the record of the anchor`
      this.#addProblem('anchor', undefined, sentence, seq)
    }
  }

  /**
   * Run records are stored outside of the log, so they show if the complete log was removed or
   * rewritten.
   */
  #checkRuns(isShortened: boolean, lost: readonly RecordContradiction[]): void {
    const first = this.#first?.seq ?? 1
    for (const { run, seq, hash } of this.#runs) {
      const found = this.#hashBySeq.get(seq)
      if (found === hash || (isShortened && seq < first)) continue
      const what = found === undefined ? 'is missing' : 'has a different hash'
      this.#addProblem('run', undefined, `Record ${seq}, the first one of ${run}, ${what}`, seq)
    }
    for (const { seq, sentence } of [...this.#digests.compare(), ...lost]) {
      this.#addProblem('run', undefined, sentence, seq)
    }
  }

  #checkHead(): void {
    const head = this.#head
    if (!head) {
      if (this.#records > 0) {
        this.#addProblem(
          'cut',
          undefined,
          'The head of the log is missing, so its end cannot be verified',
        )
      }
      return
    }
    if (head.seq > this.#last.seq) {
      const from = this.#last.seq + 1
      const which = from === head.seq ? `Record ${from} is` : `Records ${from} to ${head.seq} are`
      this.#addProblem('cut', undefined, `${which} missing at the end`, from)
    } else if (head.seq > 0 && this.#hashBySeq.get(head.seq) !== head.hash) {
      this.#addProblem('replaced', undefined, `Record ${head.seq} differs from the head`, head.seq)
    }
  }

  // eslint-disable-next-line max-params -- a problem reads best on one line where it is reported
  #addProblem(
    code: AuditProblem['code'],
    location: string | undefined,
    sentence: string,
    seq = 0,
  ): void {
    this.#problems.push({ code, seq, ...(location !== undefined && { place: location }), sentence })
  }
}
