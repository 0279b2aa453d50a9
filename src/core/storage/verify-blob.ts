import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { SkillsError } from '../../errors.ts'
import type { BlobInfo } from './blob-store.ts'

/** Content up to this size is verified before its first byte is returned. */
export const MAX_VERIFIED_FIRST_BYTES: number = 8 * 1024 ** 2
/** Larger content is not read again for each range or run within this time if its file is unchanged. */
const VERIFIED_MS = 60_000
const MAX_REMEMBERED = 1000
const CHUNK_BYTES = 256 * 1024

/** Compares the content of blobs with their digests. */
export class BlobVerifier {
  /** By id: the state of the file when it was verified. */
  readonly #verified = new Map<string, { stamp: string; atMs: number }>()

  /** Reads the whole file. Throws `blob/damaged`. */
  async verify(info: BlobInfo, path: string): Promise<void> {
    const file = await open(path, 'r')
    try {
      const stamp = await readStamp(file)
      if (info.size > MAX_VERIFIED_FIRST_BYTES && this.#isVerified(info.id, stamp)) return
      checkDigest(await digestContent(file), info)
      this.#remember(info.id, stamp)
    } finally {
      await file.close()
    }
  }

  #isVerified(id: string, stamp: string): boolean {
    const known = this.#verified.get(id)
    return known?.stamp === stamp && performance.now() - known.atMs < VERIFIED_MS
  }

  #remember(id: string, stamp: string): void {
    this.#verified.delete(id)
    this.#verified.set(id, { stamp, atMs: performance.now() })
    const [oldest] = this.#verified.keys()
    if (oldest !== undefined && this.#verified.size > MAX_REMEMBERED) this.#verified.delete(oldest)
  }
}

/** Streams a whole file. Its last chunk follows only if the digest matches. */
export function createVerifiedStream(info: BlobInfo, path: string): Readable {
  return Readable.from(readVerified(info, path), { objectMode: false })
}

async function* readVerified(info: BlobInfo, path: string): AsyncGenerator<Buffer> {
  const digest = createHash('sha256')
  let last: Buffer | undefined
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    digest.update(chunk as Buffer)
    if (last) yield last
    last = chunk as Buffer
  }
  checkDigest(digest, info)
  if (last) yield last
}

/** Pins change the time of the inode (ctime), so that is not part of it. */
async function readStamp(file: FileHandle): Promise<string> {
  const { dev, ino, size, mtimeNs } = await file.stat({ bigint: true })
  return [dev, ino, size, mtimeNs].join(' ')
}

async function digestContent(file: FileHandle): Promise<Hash> {
  const digest = createHash('sha256')
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  for (let position = 0; ;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position)
    if (bytesRead === 0) return digest
    digest.update(buffer.subarray(0, bytesRead))
    position += bytesRead
  }
}

function checkDigest(digest: Hash, { id, digest: expected }: BlobInfo): void {
  if (`sha256:${digest.digest('hex')}` !== expected) throw blobDamagedError(id)
}

/** The stored bytes differ from the written ones. */
export function blobDamagedError(id: string, cause?: unknown): SkillsError {
  return new SkillsError('blob/damaged', `The blob "${id.slice(0, 100)}" was changed or damaged`, {
    hint: 'Store its content again; "skills doctor --data" lists everything that is damaged',
    data: { id },
    cause,
  })
}
