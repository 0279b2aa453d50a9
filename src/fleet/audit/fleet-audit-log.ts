import type { AuditLog } from '../../core/audit/audit-log.ts'
import type { AuditEntry, AuditRepair } from '../../core/audit/audit-record.ts'
import { encodeLine, type ChainLink, type LogEntry } from '../../core/audit/chain.ts'
import { SkillsError } from '../../errors.ts'
import type { Engine } from '../engine/engine.ts'
import { checkChainName, formatChainName, type ChainName } from './chain-name.ts'
import { createLeftEntry } from './chain-records.ts'
import { ChainTakenError, ChainWriter, LostRecordsError, MAX_BODY_BYTES } from './chain-writer.ts'

/** The audit log of one start of a node. */
export interface FleetAuditLog extends AuditLog {
  /** Appends the last record of a node that is shut down. Later records are refused. */
  leave(): Promise<void>
}

/** Opens the chain of a start of a node. Its first record is written with the first append. */
export function openFleetAuditLog(engine: Engine, { node, start }: ChainName): FleetAuditLog {
  checkChainName({ node, start })
  return new EngineAuditLog(engine, { node, start })
}

interface PendingRecord {
  entry: AuditEntry | LogEntry
  resolve: (link: ChainLink) => void
  reject: (error: unknown) => void
}

/** Records that share one write. */
interface Batch {
  lines: string
  end: ChainLink
  records: { pending: PendingRecord; link: ChainLink }[]
}

class EngineAuditLog implements FleetAuditLog {
  #name: ChainName
  #writer: ChainWriter
  #pending: PendingRecord[] = []
  #writing: Promise<void> | undefined
  /** Set when the chain cannot be continued by this process. */
  #end: SkillsError | undefined

  constructor(engine: Engine, name: ChainName) {
    this.#name = name
    this.#writer = new ChainWriter(engine, name)
  }

  /** Resolves when the engine has acknowledged the record, durable or not. */
  async append(entry: AuditEntry | AuditRepair): Promise<ChainLink> {
    return await this.#enqueue(entry)
  }

  async flush(): Promise<void> {
    while (this.#writing) await this.#writing
  }

  async leave(): Promise<void> {
    const left = this.#enqueue(createLeftEntry(this.#name))
    this.#end ??= closedError(this.#name)
    await left
  }

  async #enqueue(entry: AuditEntry | LogEntry): Promise<ChainLink> {
    if (this.#end) throw this.#end
    const written = new Promise<ChainLink>((resolve, reject) => {
      this.#pending.push({ entry, resolve, reject })
    })
    this.#writing ??= this.#writeAll()
    return await written
  }

  async #writeAll(): Promise<void> {
    while (this.#pending.length > 0) {
      try {
        await this.#writeBatch()
      } catch (thrown) {
        // Those that arrived during the attempt would wait for the same engine.
        const error = this.#createWriteError(thrown)
        for (const { reject } of this.#pending.splice(0)) reject(error)
      }
    }
    this.#writing = undefined
  }

  async #writeBatch(): Promise<void> {
    try {
      await this.#writer.prepare()
      const batch = createBatch(this.#pending, this.#writer.tail)
      await this.#writer.write(batch.lines, batch.end)
      this.#pending.splice(0, batch.records.length)
      for (const { pending, link } of batch.records) pending.resolve(link)
    } catch (error) {
      if (!(error instanceof LostRecordsError)) throw error
      await this.#writer.recordLoss()
    }
  }

  #createWriteError(cause: unknown): SkillsError {
    if (cause instanceof ChainTakenError) {
      this.#end = takenError(this.#name, cause)
      return this.#end
    }
    return writeError(cause)
  }
}

/** Encodes the oldest records, as many as one message holds; at least one. */
function createBatch(pending: readonly PendingRecord[], tail: ChainLink): Batch {
  const batch: Batch = { lines: '', end: tail, records: [] }
  const time = new Date()
  let bytes = 0
  for (const each of pending) {
    const { line, link } = encodeLine(each.entry, batch.end, time)
    bytes += Buffer.byteLength(line)
    if (bytes > MAX_BODY_BYTES && batch.records.length > 0) break
    batch.lines += line
    batch.end = link
    batch.records.push({ pending: each, link })
  }
  return batch
}

const DENIAL = { code: 'audit-unavailable', layer: 'audit' }

function writeError(cause: unknown): SkillsError {
  if (cause instanceof SkillsError && cause.code === 'store/full') {
    return new SkillsError('store/full', 'Cannot write to the audit log: the engine is full', {
      hint: 'Raise the limits of JetStream in its configuration: no run starts without an audit record',
      data: DENIAL,
      cause,
    })
  }
  const { message, data } =
    cause instanceof SkillsError ? cause : { message: String(cause), data: {} }
  return new SkillsError('audit/unavailable', `Cannot write to the audit log: ${message}`, {
    hint: 'No run starts without an audit record: check that nats-server is running',
    data: { ...data, ...DENIAL },
    cause,
  })
}

function takenError(name: ChainName, cause: unknown): SkillsError {
  const chain = formatChainName(name)
  return new SkillsError(
    'audit/unavailable',
    `Another process writes to the audit chain ${chain}`,
    {
      hint: `Check that one node only is named "${name.node}", then restart it`,
      data: DENIAL,
      cause,
    },
  )
}

function closedError({ node }: ChainName): SkillsError {
  return new SkillsError('audit/unavailable', `Node ${node} has left the fleet`, {
    hint: 'Repeat the call on another node',
    data: DENIAL,
  })
}
