import { nameOpenMark, type ChunkLocation } from './chunks.ts'
import { ObjectMissingError } from './objects.ts'

/** Age of the newest mark at which an upload counts as abandoned. */
export const ABANDONED_MS = 3_600_000
/** Time between two marks of an upload that is still open. */
const MARK_INTERVAL_MS = ABANDONED_MS / 3

/** Marks an upload as open, so that sweeps do not take the chunks of a slow writer for abandoned ones. */
export class OpenMarks {
  #location: ChunkLocation
  #upload: string
  #count = 0
  #markedAt = Date.now()
  #timer: NodeJS.Timeout | undefined

  constructor(location: ChunkLocation, upload: string) {
    this.#location = location
    this.#upload = upload
  }

  async start(): Promise<void> {
    // A failed mark does not fail the upload: `checkStored` finds out whether that mattered.
    const renew = () => void this.#store().catch(() => {})
    this.#timer = setInterval(renew, MARK_INTERVAL_MS).unref()
    await this.#store()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Throws if a sweep may have removed the chunks because this process was stopped for long. */
  async checkStored(): Promise<void> {
    if (Date.now() - this.#markedAt < 2 * MARK_INTERVAL_MS) return
    await this.#store()
    const { engine, stream } = this.#location
    const first = await engine.last(stream, nameOpenMark(stream, this.#upload, 0))
    if (!first) throw new ObjectMissingError(`the upload "${this.#upload}" was abandoned`)
  }

  async #store(): Promise<void> {
    const { engine, stream } = this.#location
    const sentAt = Date.now()
    await engine.create(stream, nameOpenMark(stream, this.#upload, this.#count++), '')
    this.#markedAt = sentAt
  }
}
