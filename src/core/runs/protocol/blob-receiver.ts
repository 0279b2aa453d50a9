import { createHash } from 'node:crypto'
import { formatByteLimit } from '../../../util/quantity.ts'
import type { BlobInfo, BlobStore, BlobWriter } from '../../storage/blob-store.ts'
import { BrokenChannelError, parseFrameObject } from './frames.ts'
import type { RedactingStream, Redactor } from '../redaction/redact.ts'

/** Maximum of concurrently open drafts. */
const MAX_OPEN = 64
const MAX_BLOBS = 10_000
/** Each commit waits for the disk, so a batch is committed in parallel. */
const BATCH_SIZE = 64
const MAX_READ = 1024 ** 2
const MIME = /^[\w.+-]{1,64}\/[\w.+-]{1,64}(?:;[ \w.+=-]{1,64})?$/

interface Draft {
  writer: BlobWriter
  /** Set for the return value only. A blob that a skill writes is not redacted. */
  redacting: RedactingStream | undefined
  state: 'open' | 'complete' | 'dropped'
}

/** The run exceeded the limit of blobs. */
export class BlobLimitError extends Error {
  readonly value: number

  constructor(message: string, value: number) {
    super(message)
    this.value = value
  }
}

interface ReceiverOptions {
  store: BlobStore
  redactor: Redactor
  /** Bytes of all blobs of the run. */
  maxBytes: number
  /** Determines the ids: the harness derives the same ones, and user code cannot choose them. */
  secret: Buffer
}

/** Receives the blobs of one run. None is visible before `commit`. */
export class BlobReceiver {
  #drafts: Draft[] = []
  #openCount = 0
  #bytes = 0
  #options: ReceiverOptions

  constructor(options: ReceiverOptions) {
    this.#options = options
  }

  /** Begins the next blob. Numbers must be consecutive; the ids are derived from them. */
  async begin(content: Buffer): Promise<void> {
    const { number, kind, output } = parseFrameObject({ content })
    if (number !== this.#drafts.length) throw new BrokenChannelError()
    if (number >= MAX_BLOBS) throw new BlobLimitError(`more than ${MAX_BLOBS} blobs`, MAX_BLOBS)
    if (this.#openCount >= MAX_OPEN)
      throw new BlobLimitError(`more than ${MAX_OPEN} blobs at one time`, MAX_OPEN)
    const writer = await this.#options.store.writer({
      id: deriveId(this.#options.secret, number),
      kind: this.#checkMimeType(kind),
    })
    const redacting = output === true ? this.#options.redactor.stream() : undefined
    this.#drafts.push({ writer, redacting, state: 'open' })
    this.#openCount += 1
  }

  async add(content: Buffer): Promise<void> {
    const draft = this.#findOpenDraft(content)
    const chunk = content.subarray(4)
    this.#bytes += chunk.length
    const { maxBytes } = this.#options
    if (this.#bytes > maxBytes)
      throw new BlobLimitError(`more than ${formatByteLimit(maxBytes)} of blobs`, maxBytes)
    await draft.writer.write(draft.redacting ? draft.redacting.push(chunk) : chunk)
  }

  async end(content: Buffer): Promise<void> {
    const draft = this.#findOpenDraft(content)
    if (draft.redacting) await draft.writer.write(draft.redacting.end())
    await draft.writer.seal()
    draft.state = 'complete'
    this.#openCount -= 1
  }

  /** Discards a blob that its writer aborted. */
  async discard(content: Buffer): Promise<void> {
    const draft = this.#findOpenDraft(content)
    await draft.writer.abort()
    draft.state = 'dropped'
    this.#openCount -= 1
  }

  /**
   * Validates a read request of the guest for one of its blobs and returns a function that performs
   * the read. An invalid request throws at once.
   */
  prepareRead(content: Buffer): () => Promise<Uint8Array> {
    const draft = content.length === 16 ? this.#drafts[content.readUInt32BE(0)] : undefined
    const size = draft ? content.readUInt32BE(12) : 0
    const at = draft ? Number(content.readBigUInt64BE(4)) : 0
    if (draft?.state !== 'complete' || size > MAX_READ || !Number.isSafeInteger(at)) {
      throw new BrokenChannelError()
    }
    return async () => await draft.writer.read(at, size)
  }

  /** Adds a blob that the host creates. */
  async addHostBlob(content: Buffer): Promise<string> {
    const writer = await this.#options.store.writer({ kind: 'application/json' })
    this.#drafts.push({ writer, redacting: undefined, state: 'complete' })
    await writer.write(content)
    return writer.id
  }

  /** Returns the size of a complete blob. */
  getSize(id: string): number | undefined {
    return this.#listComplete().find(({ writer }) => writer.id === id)?.writer.written
  }

  /** Publishes all complete blobs and removes incomplete ones. */
  async commit(): Promise<BlobInfo[]> {
    const infos: BlobInfo[] = []
    try {
      for (const drafts of splitIntoBatches(this.#listComplete())) {
        const settled = await Promise.allSettled(drafts.map(commitDraft))
        infos.push(...settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])))
        const failed = settled.find((each) => each.status === 'rejected')
        if (failed) throw failed.reason
      }
    } catch (error) {
      // All blobs or none: the run then gets an error that names no blob.
      for (const { id } of infos) await this.#options.store.remove(id).catch(() => {})
      throw error
    }
    await this.abort()
    return infos
  }

  /** Removes all drafts that are not committed. */
  async abort(): Promise<void> {
    const remaining = this.#drafts.filter(({ state }) => state !== 'dropped')
    for (const drafts of splitIntoBatches(remaining)) {
      await Promise.all(drafts.map(async ({ writer }) => await writer.abort()))
      for (const draft of drafts) draft.state = 'dropped'
    }
  }

  /** Returns the MIME type, or `application/octet-stream` if it is invalid or contains a secret. */
  #checkMimeType(kind: unknown): string {
    const isKind = typeof kind === 'string' && MIME.test(kind)
    return isKind && this.#options.redactor.text(kind) === kind ? kind : 'application/octet-stream'
  }

  #listComplete(): Draft[] {
    return this.#drafts.filter((draft) => draft.state === 'complete')
  }

  #findOpenDraft(content: Buffer): Draft {
    const draft = content.length >= 4 ? this.#drafts[content.readUInt32BE(0)] : undefined
    if (draft?.state !== 'open') throw new BrokenChannelError()
    return draft
  }
}

async function commitDraft(draft: Draft): Promise<BlobInfo> {
  const info = await draft.writer.commit()
  draft.state = 'dropped'
  return info
}

function splitIntoBatches(drafts: readonly Draft[]): (readonly Draft[])[] {
  const count = Math.ceil(drafts.length / BATCH_SIZE)
  return Array.from({ length: count }, (_, at) =>
    drafts.slice(at * BATCH_SIZE, (at + 1) * BATCH_SIZE),
  )
}

function deriveId(secret: Buffer, number: number): string {
  const counter = Buffer.alloc(4)
  counter.writeUInt32BE(number)
  const digest = createHash('sha256').update(secret).update(counter).digest('hex')
  return `blob:${digest.slice(0, 32)}`
}
