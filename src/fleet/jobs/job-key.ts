import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { SkillsError } from '../../errors.ts'
import { readSecretFile } from '../engine/connection/setting-file.ts'
import type { JobCipher } from './queued-job.ts'

const ALGORITHM = 'aes-256-gcm'
const KEY_BYTES = 32
const SALT_BYTES = 32
const IV_BYTES = 12

/** The key of a fleet, which its fronts and workers have. Each run has a key that is derived from it. */
export class JobKey {
  /** Beginning of its digest. */
  readonly id: string
  #secret: Buffer

  constructor(secret: Buffer) {
    this.#secret = secret
    this.id = createHash('sha256')
      .update('skills job key')
      .update(secret)
      .digest('hex')
      .slice(0, 16)
  }

  /** Encrypts a call. `context` names the run: the text cannot be that of another one. */
  seal(text: Buffer, context: string): { bytes: Buffer; cipher: JobCipher } {
    const salt = randomBytes(SALT_BYTES)
    const iv = randomBytes(IV_BYTES)
    const sealing = createCipheriv(ALGORITHM, this.#deriveKey(salt, context), iv)
    sealing.setAAD(Buffer.from(context))
    const bytes = Buffer.concat([sealing.update(text), sealing.final()])
    const [saltText, ivText, tag] = [salt, iv, sealing.getAuthTag()].map((each) =>
      each.toString('base64'),
    ) as [string, string, string]
    return { bytes, cipher: { key: this.id, salt: saltText, iv: ivText, tag } }
  }

  /** Throws if the bytes were changed, or were sealed for another run. */
  open(bytes: Buffer, { salt, iv, tag }: JobCipher, context: string): Buffer {
    const key = this.#deriveKey(Buffer.from(salt, 'base64'), context)
    const options = { authTagLength: 16 }
    const opening = createDecipheriv(ALGORITHM, key, Buffer.from(iv, 'base64'), options)
    opening.setAAD(Buffer.from(context))
    opening.setAuthTag(Buffer.from(tag, 'base64'))
    return Buffer.concat([opening.update(bytes), opening.final()])
  }

  #deriveKey(salt: Buffer, context: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#secret, salt, `skills job ${context}`, KEY_BYTES))
  }
}

/** Reads the key of the fleet; undefined if no file is configured. */
export async function readJobKey(path: string | undefined): Promise<JobKey | undefined> {
  if (path === undefined) return undefined
  const secret = Buffer.from(await readSecretFile(path, 'fleet.key'), 'base64')
  if (secret.length === KEY_BYTES) return new JobKey(secret)
  throw new SkillsError(
    'config/invalid',
    `Expected ${KEY_BYTES} bytes in base64 in "${path}", got ${secret.length} bytes`,
    { hint: `Type: (umask 077; openssl rand -base64 ${KEY_BYTES} > ${path})` },
  )
}
