import { SkillsError } from '../../errors.ts'
import type { BlobStore, BlobWriter } from '../store/blob-store.ts'
import { isBlobId } from '../store/file-blob-store.ts'
import type { RedactingStream, Redactor } from './redact.ts'

const NAME_BYTES = 32
/** Drafts open at one time: each holds a file descriptor of this process. */
const MAX_OPEN = 32
const MAX_BLOBS = 10_000
const MIME = /^[\w.+-]{1,64}\/[\w.+-]{1,64}(?:;[ \w.+=-]{1,64})?$/

interface Draft {
  writer: BlobWriter
  /** Only for the return value: what a skill writes into a blob on purpose is its own. */
  redacting: RedactingStream | undefined
}

/** Writes the blobs of one run as they come; nothing is visible before `commit`. */
export class BlobReceiver {
  #open = new Map<string, Draft>()
  #whole: BlobWriter[] = []
  #bytes = 0
  #store: BlobStore
  #redactor: Redactor
  #maxBytes: number

  constructor(store: BlobStore, redactor: Redactor, maxBytes: number) {
    this.#store = store
    this.#redactor = redactor
    this.#maxBytes = maxBytes
  }

  async begin(content: Buffer): Promise<void> {
    const { id, kind, output } = JSON.parse(content.toString('utf8')) as Record<string, unknown>
    if (typeof id !== 'string' || !isBlobId(id) || this.#open.has(id)) return
    if (this.#open.size >= MAX_OPEN || this.#whole.length >= MAX_BLOBS)
      throw tooMuch('too many blobs')
    const writer = await this.#store.writer({
      id,
      kind: typeof kind === 'string' && MIME.test(kind) ? kind : 'application/octet-stream',
    })
    const redacting = output === true ? this.#redactor.stream() : undefined
    this.#open.set(id, { writer, redacting })
  }

  async add(content: Buffer): Promise<void> {
    const draft = this.#open.get(idOf(content))
    if (!draft) return
    const chunk = content.subarray(NAME_BYTES)
    this.#bytes += chunk.length
    if (this.#bytes > this.#maxBytes) throw tooMuch(`more than ${this.#maxBytes} bytes of blobs`)
    await draft.writer.write(draft.redacting ? draft.redacting.push(chunk) : chunk)
  }

  async end(content: Buffer): Promise<void> {
    const id = idOf(content)
    const draft = this.#open.get(id)
    if (!draft) return
    if (draft.redacting) await draft.writer.write(draft.redacting.end())
    this.#open.delete(id)
    this.#whole.push(draft.writer)
  }

  /** Adds a blob of our own making. */
  async put(content: Buffer): Promise<string> {
    const writer = await this.#store.writer({ kind: 'application/json' })
    await writer.write(content)
    this.#whole.push(writer)
    return writer.id
  }

  has(id: string): boolean {
    return this.#whole.some((writer) => writer.id === id)
  }

  /** Makes all whole blobs visible; what was never ended is removed. Answers with the ids. */
  async commit(): Promise<string[]> {
    for (const { writer } of this.#open.values()) await writer.abort()
    this.#open.clear()
    const ids: string[] = []
    while (this.#whole.length > 0) {
      ids.push((await (this.#whole[0] as BlobWriter).commit()).id)
      this.#whole.shift()
    }
    return ids
  }

  /** Removes every trace of what is not committed. */
  async abort(): Promise<void> {
    for (const { writer } of this.#open.values()) await writer.abort()
    for (const writer of this.#whole) await writer.abort()
  }
}

function idOf(content: Buffer): string {
  return `blob:${content.toString('latin1', 0, NAME_BYTES)}`
}

function tooMuch(what: string): SkillsError {
  return new SkillsError('blob/too-large', `The run made ${what}`, {
    hint: 'Set run.limits.blobs in skills.config.toml to allow more',
  })
}
