import type { AuditRecord } from './audit-record.ts'
import type { AuditLine, AuditSource } from './audit-source.ts'
import { decodeLine, START, type Link } from './chain.ts'

/** Something that is not as it was written. */
interface AuditProblem {
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
  /** Number of the record at which it shows. */
  seq: number
  /** `segment:line`; undefined where nothing is left to point at. */
  place?: string
  sentence: string
}

/** What became of looking at a whole log. */
export interface AuditReport {
  records: number
  files: number
  /** Where it begins and ends; null where it is empty. */
  first: Link | null
  last: Link | null
  /** Records that its retention removed. */
  removed: number
  /** Halves of records that crashes left, and that were cut off. */
  repaired: number
  /** It ends in one: a crash left it, or somebody is writing it. */
  endsTorn: boolean
  problems: AuditProblem[]
}

/** What the record of a run says of its beginning in the log. */
export interface RunLink extends Link {
  run: string
}

/** So many are told; the rest follows from them. */
const MOST_PROBLEMS = 100
/** Files that go because of their age go rarely; one that goes each time is worth a problem. */
const MOST_ATTEMPTS = 20

/**
 * Reads a log from its beginning and follows the chain. What is not chained to what is before it, what
 * does not end where the head remembers, and what an anchor that was kept elsewhere says otherwise is
 * a problem. Writers may go on meanwhile.
 */
export async function verifyAudit(
  source: AuditSource,
  anchors: readonly Link[] = [],
  runs: readonly RunLink[] = [],
): Promise<AuditReport> {
  for (let attempts = MOST_ATTEMPTS; ; attempts--) {
    // Before the records: those that are appended meanwhile come after it.
    const head = await source.head()
    const check = new Check(anchors, head, runs)
    const segments = await source.segments()
    for (const segment of segments) {
      for await (const batch of segment.lines()) {
        for (const line of batch) check.line(line, segment.name, segment === segments.at(-1))
      }
    }
    // A segment that was removed while the one before it was read looks as if it had been taken away.
    const left = new Set((await source.segments()).map(({ name }) => name))
    if (attempts === 0 || segments.every(({ name }) => left.has(name))) {
      return check.end(segments.length)
    }
  }
}

class Check {
  #anchors: readonly Link[]
  #head: Link | undefined
  #at: Link = START
  #first: Link | null = null
  #records = 0
  #repaired = 0
  #endsTorn = false
  #problems: AuditProblem[] = []
  #runs: readonly RunLink[]
  /** Numbers that somebody asks for. */
  #asked: ReadonlySet<number>
  #seen = new Map<number, string>()
  /** Where it does not begin with the first record: what should have been before. */
  #beginning: { before: Link; place: string } | undefined
  /** Ends of files that were removed, by what the log says itself. */
  #pruned = new Map<number, string>()

  constructor(anchors: readonly Link[], head: Link | undefined, runs: readonly RunLink[]) {
    this.#anchors = anchors
    this.#head = head
    this.#runs = runs
    this.#asked = new Set([...anchors, ...runs, ...(head ? [head] : [])].map(({ seq }) => seq))
  }

  line(line: AuditLine, segment: string, isNewest: boolean): void {
    const place = `${segment}:${line.number}`
    const decoded = decodeLine(line.text)
    if (!line.isWhole && isNewest) {
      // The next writer cuts it off, and says so.
      this.#endsTorn = true
      return
    }
    if (!decoded) {
      this.#tell('broken', place, 'This line is no record')
      return
    }
    const { record, isIntact } = decoded
    this.#records += 1
    if (!isIntact) this.#tell('changed', place, `Record ${record.seq} was changed`, record.seq)
    this.#follow(record, place)
    if (isIntact) this.#countRepairs(record, place)
    this.#at = { seq: record.seq, hash: record.hash }
    this.#first ??= this.#at
    this.#remember(this.#at)
  }

  #follow({ seq, prev }: { seq: number; prev: string }, place: string): void {
    const expected = this.#at.seq + 1
    if (this.#first === null && seq > expected) {
      this.#beginning = { before: { seq: seq - 1, hash: prev }, place }
      return
    }
    if (seq > expected) {
      const which =
        seq - 1 === expected ? `Record ${expected} is` : `Records ${expected} to ${seq - 1} are`
      this.#tell('missing', place, `${which} missing`, expected)
    } else if (seq < expected) {
      this.#tell('out-of-order', place, `Record ${seq} stands behind record ${this.#at.seq}`, seq)
    } else if (prev !== this.#at.hash) {
      this.#tell('replaced', place, `Record ${seq} is chained to another record ${seq - 1}`, seq)
    }
  }

  /** What was archived goes on from where an anchor says that it ended, what was removed where the log does. */
  #checkBeginning(): boolean {
    if (!this.#beginning) return false
    const { before, place } = this.#beginning
    if (this.#anchors.some(({ seq, hash }) => seq === before.seq && hash === before.hash)) {
      return true
    }
    if (this.#pruned.get(before.seq) === before.hash) return true
    const which = before.seq === 1 ? 'Record 1 is' : `Records 1 to ${before.seq} are`
    const sentence = `${which} missing`
    this.#problems.unshift({ code: 'missing', seq: 1, place, sentence })
    return false
  }

  #countRepairs(record: AuditRecord, place: string): void {
    if (record.event === 'pruned') {
      const { seq, hash } = (record['through'] ?? START) as Link
      this.#pruned.set(seq, hash)
    }
    if (record.event === 'repaired') this.#repaired += 1
    if (record.event !== 'damaged') return
    const { problem } = record
    this.#tell(
      'damaged',
      place,
      `${problem}: found when record ${record.seq} was written`,
      record.seq,
    )
  }

  #remember({ seq, hash }: Link): void {
    if (this.#asked.has(seq)) this.#seen.set(seq, hash)
  }

  end(files: number): AuditReport {
    const isShortened = this.#checkBeginning()
    this.#checkHead()
    this.#checkAnchors(isShortened)
    this.#checkRuns(isShortened)
    const last = this.#records === 0 ? null : this.#at
    const { length } = this.#problems
    const problems = this.#problems.slice(0, MOST_PROBLEMS)
    if (length > MOST_PROBLEMS) {
      const sentence = `${length - MOST_PROBLEMS} more problems are not shown`
      problems.push({ code: 'broken', seq: 0, sentence })
    }
    const [records, repaired, endsTorn] = [this.#records, this.#repaired, this.#endsTorn]
    const removed = isShortened ? (this.#first?.seq ?? 1) - 1 : 0
    return { records, files, first: this.#first, last, removed, repaired, endsTorn, problems }
  }

  #checkAnchors(isShortened: boolean): void {
    const before = this.#beginning?.before ?? START
    for (const { seq, hash } of this.#anchors) {
      const found = seq === before.seq ? before.hash : this.#seen.get(seq)
      if (found === hash) continue
      const what =
        found === undefined ? `There is no record ${seq}` : `Record ${seq} is another one`
      const isGone = isShortened && seq < before.seq
      const sentence = isGone
        ? `Record ${seq} was removed, and nobody can tell what it was: give a later anchor`
        : `${what} than the anchor says`
      this.#tell('anchor', undefined, sentence, seq)
    }
  }

  /** Records of runs lie elsewhere: they tell where all of the log was removed or written anew. */
  #checkRuns(isShortened: boolean): void {
    const first = this.#first?.seq ?? 1
    for (const { run, seq, hash } of this.#runs) {
      const found = this.#seen.get(seq)
      if (found === hash || (isShortened && seq < first)) continue
      const what = found === undefined ? 'is not there' : 'is another one'
      this.#tell('run', undefined, `Record ${seq}, with which ${run} began, ${what}`, seq)
    }
  }

  #checkHead(): void {
    const head = this.#head
    if (!head) {
      if (this.#records > 0) {
        this.#tell(
          'cut',
          undefined,
          'The head of the log is missing: nobody can tell where it ended',
        )
      }
      return
    }
    if (head.seq > this.#at.seq) {
      const from = this.#at.seq + 1
      const which = from === head.seq ? `Record ${from} is` : `Records ${from} to ${head.seq} are`
      this.#tell('cut', undefined, `${which} missing at the end`, from)
    } else if (head.seq > 0 && this.#seen.get(head.seq) !== head.hash) {
      this.#tell(
        'replaced',
        undefined,
        `Record ${head.seq} is not what the head remembers`,
        head.seq,
      )
    }
  }

  // eslint-disable-next-line max-params -- a problem reads best on one line where it is told
  #tell(code: AuditProblem['code'], place: string | undefined, sentence: string, seq = 0): void {
    this.#problems.push({ code, seq, ...(place !== undefined && { place }), sentence })
  }
}
