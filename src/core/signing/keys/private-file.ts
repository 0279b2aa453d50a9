import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { SkillsError } from '../../../errors.ts'

/** Longer files are not keys. */
const MAX_BYTES = 16 * 1024

/**
 * Reads a file that no other user can read, in a folder that no other user can change; undefined if
 * it does not exist. Checks and reads the same file descriptor.
 */
export function readPrivateFile(file: string): string | undefined {
  let descriptor: number
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw exposedKeyError(`Cannot read the key "${file}" (${code})`, 'Check its permissions', cause)
  }
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFile() || stat.size > MAX_BYTES) {
      throw exposedKeyError(`"${file}" is not a key`, 'Move it to another folder')
    }
    checkMode(file, 0o077, { ...stat, use: 'read' })
    const folder = dirname(file)
    checkMode(folder, 0o022, { ...statSync(folder), use: 'change' })
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}

interface CheckedPath {
  uid: number
  mode: number
  /** Verb for the message. */
  use: 'read' | 'change'
}

function checkMode(path: string, forbidden: number, { uid, mode, use }: CheckedPath): void {
  const own = process.getuid?.()
  if (own !== undefined && uid !== own) {
    throw exposedKeyError(`"${path}" belongs to another user`, `Type "chown $(id -un) ${path}"`)
  }
  if ((mode & forbidden) === 0) return
  const octal = (mode & 0o777).toString(8)
  const rights = use === 'read' ? 'go-rwx' : 'go-w'
  throw exposedKeyError(
    `Others can ${use} "${path}" (mode ${octal}), expected a private key to be private`,
    `Type "chmod ${rights} ${path}", and use a new key if others had access to this one`,
  )
}

function exposedKeyError(message: string, hint: string, cause?: unknown): SkillsError {
  return new SkillsError('key/unusable', message, { hint, cause })
}
