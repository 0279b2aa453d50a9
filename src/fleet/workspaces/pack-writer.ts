import { createHash, randomBytes } from 'node:crypto'
import type { Engine } from '../engine/engine.ts'
import type { Pack, PackPart } from './manifest.ts'

/** Bytes of a pack: the engine accepts messages of 1 MB, and sends them in base64. */
export const PACK_BYTES: number = 512 * 1024
/** Age at which a pack that no snapshot names is removed. */
export const UNNAMED_PACK_MS = 86_400_000
/** Bytes that make the name of a pack unique. */
const SALT_BYTES = 16
/** Packs that are on the way to the engine at once. */
const MAX_PENDING = 4

/** Subject of a pack. Each workspace has its own packs, so that no caller learns those of others. */
export function namePack(workspace: string, digest: string): string {
  return `p.${workspace}.${digest}`
}

/** Subject of the mark by which sweeps find a pack without reading it. */
export function namePackMark(workspace: string, digest: string): string {
  return `q.${workspace}.${digest}`
}

/** Writes contents of a workspace as packs, which are never changed. */
export class PackWriter {
  #engine: Engine
  #workspace: string
  #buffer: Buffer | undefined
  #filled = 0
  #current: MutablePack = createPack()
  #writes = new Set<Promise<void>>()
  #error: unknown
  #bytes = 0

  constructor(engine: Engine, workspace: string) {
    this.#engine = engine
    this.#workspace = workspace
  }

  /** Bytes that were sent to the engine. */
  get bytes(): number {
    return this.#bytes
  }

  /** Adds content. Its parts are complete when `close` returns. */
  async add(content: Uint8Array): Promise<PackPart[]> {
    const parts: PackPart[] = []
    for (let at = 0; at < content.length;) {
      this.#buffer ??= Buffer.allocUnsafeSlow(SALT_BYTES + PACK_BYTES)
      const piece = content.subarray(at, at + PACK_BYTES - this.#filled)
      this.#buffer.set(piece, SALT_BYTES + this.#filled)
      parts.push({ pack: this.#current, offset: this.#filled, length: piece.length })
      at += piece.length
      this.#filled += piece.length
      if (this.#filled === PACK_BYTES) await this.flush()
    }
    return parts
  }

  /** Sends what was added, and waits while too many packs are on the way. */
  async flush(): Promise<void> {
    const { buffer, filled, pack } = {
      buffer: this.#buffer,
      filled: this.#filled,
      pack: this.#current,
    }
    if (!buffer || filled === 0) return
    this.#buffer = undefined
    this.#filled = 0
    this.#current = createPack()
    this.#bytes += filled
    const write = this.#store(pack, buffer.subarray(0, SALT_BYTES + filled))
      .catch((error: unknown) => {
        this.#error ??= error
      })
      .finally(() => this.#writes.delete(write))
    this.#writes.add(write)
    while (this.#writes.size >= MAX_PENDING) await Promise.race(this.#writes)
    this.#throwIfFailed()
  }

  /** Returns when the engine has acknowledged every pack. */
  async close(): Promise<void> {
    await this.flush()
    await Promise.all(this.#writes)
    this.#throwIfFailed()
  }

  async #store(pack: MutablePack, salted: Buffer): Promise<void> {
    if (await this.#create(pack, { bytes: salted.subarray(SALT_BYTES), start: 0 })) return
    randomBytes(SALT_BYTES).copy(salted)
    await this.#create(pack, { bytes: salted, start: SALT_BYTES })
  }

  /** False if the pack exists and a sweep may be removing it. */
  async #create(
    pack: MutablePack,
    { bytes, start }: { bytes: Buffer; start: number },
  ): Promise<boolean> {
    const digest = createHash('sha256').update(bytes).digest('hex')
    Object.assign(pack, { digest, start, size: bytes.length })
    const workspace = this.#workspace
    await this.#engine.create('workspaces', namePackMark(workspace, digest), '')
    const made = await this.#engine.create('workspaces', namePack(workspace, digest), bytes)
    if (made.isCreated) return true
    return made.existing !== undefined && Date.now() - made.existing.storedAt < UNNAMED_PACK_MS / 2
  }

  #throwIfFailed(): void {
    if (this.#error !== undefined) throw this.#error
  }
}

type MutablePack = { -readonly [Name in keyof Pack]: Pack[Name] }

function createPack(): MutablePack {
  return { digest: '', start: 0, size: 0 }
}
