import { createHash } from 'node:crypto'
import type { Engine } from '../engine/engine.ts'
import type { Pack, PackPart } from './manifest.ts'
import { namePack } from './pack-writer.ts'

/** Packs that are fetched before they are needed. */
const PACKS_AHEAD = 3
/** Packs that stay in memory: files that were stored together are near each other. */
const MAX_CACHED = 12

/** A pack is missing, or its bytes were changed. */
export class PackDamagedError extends Error {
  override name = 'PackDamagedError'
}

/** Reads packs of a workspace, mostly in the order of their first use. */
export class PackReader {
  #engine: Engine
  #workspace: string
  #order: readonly string[]
  #positions: ReadonlyMap<string, number>
  #fetched = new Map<string, Promise<Buffer>>()

  constructor(engine: Engine, workspace: string, order: readonly string[]) {
    this.#engine = engine
    this.#workspace = workspace
    this.#order = order
    this.#positions = new Map(order.map((digest, at) => [digest, at]))
  }

  async read({ pack, offset, length }: PackPart): Promise<Buffer> {
    const bytes = await this.readPack(pack.digest)
    const start = pack.start + offset
    if (!isPosition(pack, start) || start + length > bytes.length) {
      throw new PackDamagedError(`the pack "${pack.digest}" is too short`)
    }
    return bytes.subarray(start, start + length)
  }

  async readPack(digest: string): Promise<Buffer> {
    const at = this.#positions.get(digest)
    const next = at === undefined ? [] : this.#order.slice(at + 1, at + 1 + PACKS_AHEAD)
    for (const each of [digest, ...next]) {
      if (!this.#fetched.has(each)) this.#fetched.set(each, this.#fetch(each))
    }
    const bytes = await (this.#fetched.get(digest) as Promise<Buffer>)
    for (const each of this.#fetched.keys()) {
      if (this.#fetched.size <= MAX_CACHED) break
      if (each !== digest) this.#fetched.delete(each)
    }
    return bytes
  }

  #fetch(digest: string): Promise<Buffer> {
    const fetched = fetchPack(this.#engine, namePack(this.#workspace, digest), digest)
    // The error is thrown where the pack is needed, which may be never.
    fetched.catch(() => {})
    return fetched
  }
}

async function fetchPack(engine: Engine, subject: string, digest: string): Promise<Buffer> {
  const stored = await engine.last('workspaces', subject)
  if (!stored) throw new PackDamagedError(`the pack "${digest}" is missing`)
  const { buffer, byteOffset, length } = stored.body
  const bytes = Buffer.from(buffer, byteOffset, length)
  if (createHash('sha256').update(bytes).digest('hex') === digest) return bytes
  throw new PackDamagedError(`the pack "${digest}" was changed`)
}

function isPosition({ start }: Pack, position: number): boolean {
  return Number.isSafeInteger(position) && start >= 0 && position >= start
}
