import type { DecodedLine } from '../../core/audit/chain.ts'
import {
  findLostRecords,
  RecordDigests,
  type RecordContradiction,
  type RunRecords,
} from '../../core/audit/record-digests.ts'
import type { VerificationKey } from '../../core/signing/keys/verification-key.ts'
import { waitForTurn } from '../../util/slices/next-turn.ts'
import type { Engine, StoredMessage } from '../engine/engine.ts'
import { FleetChainCheck } from './chain-check.ts'
import { EPOCHS_SUBJECT, formatChainName, parseChainSubject, type ChainName } from './chain-name.ts'
import { EpochsCheck } from './epochs-check.ts'
import {
  FleetProblems,
  type ChainReport,
  type EpochAnchor,
  type FleetAuditNote,
  type FleetAuditReport,
} from './fleet-audit-report.ts'
import { NodeChains } from './node-chains.ts'

export interface FleetAuditInput {
  /** Records of runs, which are compared with the chains. */
  runs?: RunRecords
  /** Keys of which one must have signed each epoch. */
  keys?: readonly VerificationKey[]
  /** Epochs that were kept elsewhere. */
  anchors?: readonly EpochAnchor[]
  /** True for the start of a node that is running now, whose chain cannot have an end. */
  isRunning?: (name: ChainName) => boolean
}

const ALL_SUBJECTS = 'au.>'
/** Lost records that are reported at most. */
const MAX_LOST = 100
/** A run begins in the log after it waited; its record has the time before. */
const LONGEST_WAIT_MS = 600_000

/**
 * Reads the audit of a fleet from its beginning, in the order in which it was stored. It follows each chain,
 * its link to the chain before of the same node, and the epochs. Nodes may append meanwhile.
 */
export async function verifyFleetAudit(
  engine: Engine,
  input: FleetAuditInput = {},
): Promise<FleetAuditReport> {
  const runs = input.runs && toFleetRecords(input.runs)
  const verifier = new FleetVerifier(engine.tenant, { ...input, ...(runs && { runs }) })
  for await (const message of engine.list('audit', ALL_SUBJECTS)) {
    verifier.read(message)
    // Other callers are served meanwhile.
    await waitForTurn()
  }
  const lost = await findLostRecords(verifier.listExpected(), runs ?? {}, MAX_LOST)
  return verifier.finish(lost)
}

/** The keeper removes the oldest records above the quota, and writes to no chain. */
function toFleetRecords(runs: RunRecords): RunRecords {
  const { keptSinceMs, oldestMs = 0 } = runs
  if (keptSinceMs === undefined) return runs
  return {
    ...runs,
    mayLackEnds: true,
    keptSinceMs: Math.max(keptSinceMs, oldestMs + LONGEST_WAIT_MS),
  }
}

class FleetVerifier {
  #chains = new Map<string, FleetChainCheck>()
  #problems = new FleetProblems()
  #nodes = new NodeChains(this.#chains, this.#problems)
  #epochs: EpochsCheck
  #runs: RunRecords['links']
  #digests: RecordDigests
  #runHashes: ReadonlySet<string>
  /** Chains of the records that runs refer to, by hash. */
  #chainByHash = new Map<string, string>()
  #isRunning: (name: ChainName) => boolean

  constructor(tenant: string, input: FleetAuditInput) {
    const { runs = { links: [] }, keys = [], anchors = [], isRunning = () => false } = input
    const [chains, problems] = [this.#chains, this.#problems]
    this.#epochs = new EpochsCheck({ tenant, keys, anchors, chains, problems })
    this.#runs = runs.links
    this.#digests = new RecordDigests(runs)
    this.#runHashes = new Set(runs.links.map(({ hash }) => hash))
    this.#isRunning = isRunning
  }

  read(message: StoredMessage): void {
    if (message.subject === EPOCHS_SUBJECT) return this.#epochs.read(message)
    const name = parseChainSubject(message.subject)
    if (!name || formatChainName(name) !== message.subject.slice('au.'.length)) {
      const sentence = `The subject "${message.subject}" is not one of a chain`
      return this.#problems.add({
        code: 'broken',
        seq: 0,
        place: `message ${message.seq}`,
        sentence,
      })
    }
    const chain = this.#openChain(name)
    const isStarted = chain.first !== undefined
    const found = chain.read(message)
    if (found.length === 0) return
    if (isStarted) this.#nodes.noteRecord(chain)
    else this.#nodes.addChain(chain)
    this.#epochs.noteChange(chain)
    for (const decoded of found) this.#compareWithRuns(chain, decoded)
  }

  listExpected(): ReturnType<RecordDigests['listExpected']> {
    return this.#digests.listExpected()
  }

  finish(lost: readonly RecordContradiction[]): FleetAuditReport {
    const notes: FleetAuditNote[] = [...this.#nodes.overlaps]
    const ends = [...this.#chains.values()].map((chain) => ({ chain, report: chain.finish() }))
    for (const { chain, report } of ends) {
      for (const problem of report.problems) this.#problems.add({ ...problem, chain: chain.key })
      notes.push(...this.#listNotes(chain, report.endsTorn))
    }
    const epochs = this.#epochs.finish()
    this.#checkRuns(lost)
    const chains = ends.map(({ chain, report }): ChainReport => {
      const problem = this.#problems.describeFirst(chain.key)
      return {
        ...chain.name,
        records: report.records,
        first: chain.firstTime,
        last: chain.last?.time ?? null,
        end: report.last,
        hasLeft: chain.hasLeft,
        endsTorn: report.endsTorn,
        isOk: problem === undefined,
        ...(problem !== undefined && { problem }),
      }
    })
    const records = chains.reduce((sum, chain) => sum + chain.records, 0)
    return { records, chains, epochs, problems: this.#problems.list(), notes }
  }

  #openChain(name: ChainName): FleetChainCheck {
    const key = formatChainName(name)
    const present = this.#chains.get(key)
    if (present) return present
    const chain = new FleetChainCheck(name)
    this.#chains.set(key, chain)
    return chain
  }

  #compareWithRuns(chain: FleetChainCheck, { record, isIntact }: DecodedLine): void {
    if (!isIntact) return
    this.#digests.add(record)
    if (this.#runHashes.has(record.hash)) this.#chainByHash.set(record.hash, chain.key)
  }

  #checkRuns(lost: readonly RecordContradiction[]): void {
    const chainByRun = new Map<string, string>()
    for (const { run, seq, hash } of this.#runs) {
      const chain = this.#chainByHash.get(hash)
      if (chain !== undefined) chainByRun.set(run, chain)
      else {
        const sentence = `Record ${seq}, the first one of ${run}, is in none of the chains`
        this.#problems.add({ code: 'run', seq, sentence })
      }
    }
    for (const { run, seq, sentence } of [...this.#digests.compare(), ...lost]) {
      const chain = chainByRun.get(run)
      this.#problems.add({ code: 'run', seq, ...(chain !== undefined && { chain }), sentence })
    }
  }

  #listNotes(chain: FleetChainCheck, endsTorn: boolean): FleetAuditNote[] {
    const { key, name, last } = chain
    if (this.#isRunning(name)) return []
    const notes: FleetAuditNote[] = []
    if (endsTorn) {
      const sentence = `The last record of ${key} is incomplete: a crash interrupted it, or it is being written`
      notes.push({ code: 'torn', chain: key, sentence })
    }
    if (!chain.hasLeft) {
      const where = last ? `after record ${last.seq}` : 'without a record'
      const why = this.#nodes.isNewest(chain)
        ? 'the node is running, or was killed or removed'
        : 'the node was killed'
      const sentence = `${key} ends ${where} and does not say that the node left: ${why}`
      notes.push({ code: 'no-left', chain: key, sentence })
    }
    return notes
  }
}
