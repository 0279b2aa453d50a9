import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { findNearest } from '../../../util/find-nearest.ts'
import { syncFolder, writeSynced } from '../../../util/durable-file.ts'
import type { SigningKey } from '../envelope/dsse.ts'
import { readPrivateFile } from './private-file.ts'
import { toVerificationKey, type VerificationKey } from './verification-key.ts'

/** A key pair of the user. */
export interface StoredKey extends VerificationKey {
  name: string
  file: string
  isEncrypted: boolean
}

/** Private keys of the user, one file each: the private key, and the public key after it. */
export interface KeyStore {
  list(): StoredKey[]
  get(name: string): StoredKey
  create(name: string, passphrase?: string): Promise<StoredKey>
  /** Calls `askPassphrase` only for a key that has one. */
  open(name: string, askPassphrase: () => Promise<string>): Promise<SigningKey>
  remove(name: string): StoredKey
}

export const KEY_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/
const EXTENSION = '.pem'
const PEM_BLOCK = /-----BEGIN ([A-Z ]+)-----[A-Za-z0-9+/=\s]+-----END \1-----\n?/g
const ENCRYPTED = 'ENCRYPTED PRIVATE KEY'

/** A cipher that every version of OpenSSL reads. */
const CIPHER = 'aes-256-cbc'

export function openKeyStore(folder: string): KeyStore {
  const resolveFile = (name: string) => join(folder, `${requireKeyName(name)}${EXTENSION}`)
  const listNames = () =>
    existsSync(folder)
      ? readdirSync(folder)
          .filter((file) => file.endsWith(EXTENSION))
          .map((file) => file.slice(0, -EXTENSION.length))
          .filter((name) => KEY_NAME.test(name))
          .sort()
      : []
  const get = (name: string) => {
    const file = resolveFile(name)
    const text = readPrivateFile(file)
    if (text === undefined) throw unknownKeyError(name, listNames())
    return { ...parseKeyFile(name, file, text), text }
  }
  return {
    list: () => listNames().map((name) => toStoredKey(get(name))),
    get: (name) => toStoredKey(get(name)),
    async create(name, passphrase) {
      const file = resolveFile(name)
      if (existsSync(file)) throw existingKeyError(name)
      const { privateKey, publicKey } = generateKeyPairSync('ed25519')
      const text = formatKeyPair(privateKey, publicKey, passphrase)
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      await createFile(folder, file, text).catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'EEXIST' ? existingKeyError(name) : error
      })
      return toStoredKey(get(name))
    },
    async open(name, askPassphrase) {
      const { text, isEncrypted, id } = get(name)
      const passphrase = isEncrypted ? await askPassphrase() : undefined
      const privateKey = decryptKey(name, text, passphrase)
      if (toVerificationKey(createPublicKey(privateKey), name).id !== id) {
        throw damagedKeyError(name)
      }
      return { id, privateKey }
    },
    remove(name) {
      const key = toStoredKey(get(name))
      rmSync(key.file)
      return key
    },
  }
}

function formatKeyPair(
  privateKey: KeyObject,
  publicKey: KeyObject,
  passphrase: string | undefined,
): string {
  const encryption = passphrase === undefined ? {} : { cipher: CIPHER, passphrase }
  const pair = [
    privateKey.export({ type: 'pkcs8', format: 'pem', ...encryption }),
    publicKey.export({ type: 'spki', format: 'pem' }),
  ]
  return pair.join('')
}

function toStoredKey({ name, file, isEncrypted, id, publicKey }: StoredKey): StoredKey {
  return { name, file, isEncrypted, id, publicKey }
}

/** Creates a file with all of its content; fails if it exists. */
async function createFile(folder: string, file: string, text: string): Promise<void> {
  const draft = `${file}.${randomBytes(8).toString('hex')}`
  try {
    await writeSynced(draft, text)
    linkSync(draft, file)
    await syncFolder(folder)
  } finally {
    rmSync(draft, { force: true })
  }
}

function parseKeyFile(name: string, file: string, text: string): StoredKey {
  const blocks = [...text.matchAll(PEM_BLOCK)]
  const [secret, open] = blocks
  const isPrivate = secret?.[1] === ENCRYPTED || secret?.[1] === 'PRIVATE KEY'
  if (blocks.length !== 2 || !isPrivate || open?.[1] !== 'PUBLIC KEY') throw damagedKeyError(name)
  try {
    const key = toVerificationKey(createPublicKey(open[0]), name)
    return { ...key, name, file, isEncrypted: secret[1] === ENCRYPTED }
  } catch (cause) {
    throw damagedKeyError(name, cause)
  }
}

function decryptKey(name: string, text: string, passphrase: string | undefined): KeyObject {
  const key = [...text.matchAll(PEM_BLOCK)][0]?.[0] ?? ''
  try {
    return createPrivateKey({ key, ...(passphrase !== undefined && { passphrase }) })
  } catch (cause) {
    if (passphrase === undefined) throw damagedKeyError(name, cause)
    throw new SkillsError('key/unusable', `The passphrase of the key "${name}" is wrong`, {
      hint: 'Try again',
      cause,
    })
  }
}

export function requireKeyName(name: string): string {
  if (KEY_NAME.test(name)) return name
  throw new SkillsError('usage/invalid', `"${name}" is not a name for a key`, {
    hint: 'Use at most 64 lower-case letters, digits, ".", "_" and "-", such as "release-2026"',
  })
}

function unknownKeyError(name: string, names: readonly string[]): SkillsError {
  const near = findNearest(name, names)
  const hint =
    near === undefined ? `Type "skills keys new ${name}" to create it` : `Did you mean "${near}"?`
  return new SkillsError('key/not-found', `There is no key "${name}"`, { hint })
}

function existingKeyError(name: string): SkillsError {
  return new SkillsError('key/exists', `There is a key "${name}" already`, {
    hint: `Use another name, or type "skills keys remove ${name}"`,
  })
}

function damagedKeyError(name: string, cause?: unknown): SkillsError {
  return new SkillsError('key/unusable', `The file of the key "${name}" is damaged`, {
    hint: 'Restore it from a copy, or create a new key',
    cause,
  })
}
