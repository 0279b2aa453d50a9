import { createHash } from 'node:crypto'
import { formatBytes } from '../../../util/quantity.ts'
import type { BlobInfo, BlobStore, BlobWriter } from '../../storage/blob-store.ts'
import { BrokenChannelError, parseFrameObject } from './frames.ts'
import type { RedactingStream, Redactor } from '../redaction/redact.ts'

/** Drafts that are written at one time. */
const MAX_OPEN = 64
const MAX_BLOBS = 10_000
/** Each waits for the disk: together they wait once. */
const BATCH_SIZE = 64
const MAX_READ = 1024 ** 2
const MIME = /^[\w.+-]{1,64}\/[\w.+-]{1,64}(?:;[ \w.+=-]{1,64})?$/

interface Draft {
  writer: BlobWriter
  /** Only for the return value: what a skill writes into a blob on purpose is its own. */
  redacting: RedactingStream | undefined
  state: 'open' | 'whole' | 'dropped'
}

/** A run that made more blobs than it may. */
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
  /** Of all blobs of the run together. */
  maxBytes: number
  /** Fixes the ids: the harness derives the same, user code has no say. */
  secret: Buffer
}

/** Writes the blobs of one run as they come; nothing is visible before `commit`. */
export class BlobReceiver {
  #drafts: Draft[] = []
  #openCount = 0
  #bytes = 0
  #options: ReceiverOptions

  constructor(options: ReceiverOptions) {
    this.#options = options
  }

  /** Begins the next blob; the numbers are told apart by order, the ids follow from them. */
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
      throw new BlobLimitError(`more than ${formatBytes(maxBytes)}`, maxBytes)
    await draft.writer.write(draft.redacting ? draft.redacting.push(chunk) : chunk)
  }

  async end(content: Buffer): Promise<void> {
    const draft = this.#findOpenDraft(content)
    if (draft.redacting) await draft.writer.write(draft.redacting.end())
    await draft.writer.seal()
    draft.state = 'whole'
    this.#openCount -= 1
  }

  /** Forgets a blob that its writer gave up. */
  async discard(content: Buffer): Promise<void> {
    const draft = this.#findOpenDraft(content)
    await draft.writer.abort()
    draft.state = 'dropped'
    this.#openCount -= 1
  }

  /** Reads a piece of a blob of this run, for the run itself, when it is called; wrong questions throw at once. */
  prepareRead(content: Buffer): () => Promise<Uint8Array> {
    const draft = content.length === 16 ? this.#drafts[content.readUInt32BE(0)] : undefined
    const size = draft ? content.readUInt32BE(12) : 0
    const at = draft ? Number(content.readBigUInt64BE(4)) : 0
    if (draft?.state !== 'whole' || size > MAX_READ || !Number.isSafeInteger(at)) {
      throw new BrokenChannelError()
    }
    return async () => await draft.writer.read(at, size)
  }

  /** Adds a blob of our own making. */
  async addHostBlob(content: Buffer): Promise<string> {
    const writer = await this.#options.store.writer({ kind: 'application/json' })
    this.#drafts.push({ writer, redacting: undefined, state: 'whole' })
    await writer.write(content)
    return writer.id
  }

  /** The size of a whole blob. */
  getSize(id: string): number | undefined {
    return this.#listComplete().find(({ writer }) => writer.id === id)?.writer.written
  }

  /** Makes all whole blobs visible; what was never ended is removed. */
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
      // All of them or none: the run is answered with an error that names no blob.
      for (const { id } of infos) await this.#options.store.remove(id).catch(() => {})
      throw error
    }
    await this.abort()
    return infos
  }

  /** Removes every trace of what is not committed. */
  async abort(): Promise<void> {
    const left = this.#drafts.filter(({ state }) => state !== 'dropped')
    for (const drafts of splitIntoBatches(left)) {
      await Promise.all(drafts.map(async ({ writer }) => await writer.abort()))
      for (const draft of drafts) draft.state = 'dropped'
    }
  }

  /** What is no kind, or tells a secret, counts as bytes. */
  #checkMimeType(kind: unknown): string {
    const isKind = typeof kind === 'string' && MIME.test(kind)
    return isKind && this.#options.redactor.text(kind) === kind ? kind : 'application/octet-stream'
  }

  #listComplete(): Draft[] {
    return this.#drafts.filter((draft) => draft.state === 'whole')
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
