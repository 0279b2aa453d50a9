import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs'
import type { Stats } from 'node:fs'
import { dirname } from 'node:path'
import { SkillsError, type ErrorCode } from '../../errors.ts'
import { quoteShellWord } from '../../util/shell-word.ts'

const MAX_BYTES = 1024 ** 2

/** Code and hint of the errors of a file that cannot be read. */
interface TrustedFileErrors {
  code?: ErrorCode
  hint?: string
}

/**
 * Reads a file that only the operator can change, in a folder with the same protection; undefined
 * if it does not exist. Checks and reads the same file descriptor. This is the check of every file
 * that is obeyed: policy, configuration of the user, tokens, trust.
 */
export function readTrusted(
  file: string,
  what: string,
  errors: TrustedFileErrors = {},
): string | undefined {
  try {
    return readChecked(file, what, (stat) => {
      checkOwner(file, what, stat)
      checkFolder(dirname(realpathSync(file)), `the folder of ${what}`)
    })
  } catch (thrown) {
    if (!(thrown instanceof SkillsError)) throw thrown
    const { code = thrown.code, hint = thrown.hint } = errors
    const isCommand = thrown.hint?.startsWith('Type ') === true
    throw new SkillsError(code, thrown.message, { hint: isCommand ? thrown.hint : hint })
  }
}

/** Reads a file without checking its owner. */
export function readUntrusted(file: string, what: string): string | undefined {
  return readChecked(file, what, () => {})
}

function readChecked(file: string, what: string, check: (stat: Stats) => void): string | undefined {
  let fd: number
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      refuseDanglingLink(file, what)
      return undefined
    }
    throw createUntrustedFileError(`Cannot read ${what} "${file}" (${code})`)
  }
  try {
    const stat = fstatSync(fd)
    if (!stat.isFile()) throw createUntrustedFileError(`"${file}", ${what}, is not a file`)
    check(stat)
    if (stat.size > MAX_BYTES)
      throw createUntrustedFileError(`"${file}", ${what}, has more than ${MAX_BYTES} bytes`)
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(fd))
  } catch (error) {
    if (error instanceof TypeError)
      throw createUntrustedFileError(`"${file}", ${what}, is not UTF-8 text`)
    throw error
  } finally {
    closeSync(fd)
  }
}

/**
 * A link without a target is a mistake, or a policy whose disk is missing: treating it as no policy
 * would allow everything.
 */
function refuseDanglingLink(file: string, what: string): void {
  const link = findDanglingLink(file)
  if (link === undefined) return
  const place = link === file ? `"${file}", ${what},` : `"${link}", in the path of ${what},`
  throw createUntrustedFileError(
    `${place} is a link to a path that does not exist`,
    `Correct or remove the link: nothing runs until then`,
  )
}

/** Returns the link that leads a path nowhere; undefined if its last existing part is a folder. */
export function findDanglingLink(file: string): string | undefined {
  for (let path = file; ; path = dirname(path)) {
    const stat = readLinkStat(path)
    if (stat) return stat.isSymbolicLink() && !existsSync(path) ? path : undefined
    if (dirname(path) === path) return undefined
  }
}

function readLinkStat(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    // A part of the path is a file, or a folder that is closed.
    return undefined
  }
}

function checkOwner(path: string, what: string, { uid, mode }: Stats): void {
  if (uid !== 0 && uid !== process.getuid?.()) {
    throw createUntrustedFileError(
      `"${path}", ${what}, belongs to another user`,
      `Type "chown $(id -un) ${quoteShellWord(path)}"`,
    )
  }
  if ((mode & 0o022) === 0) return
  const octal = (mode & 0o777).toString(8)
  throw createUntrustedFileError(
    `Others can write to "${path}", ${what} (mode ${octal})`,
    `Type "chmod go-w ${quoteShellWord(path)}"`,
  )
}

/** A user that can write to the folder could replace the file. The user's own private group is trusted. */
function checkFolder(path: string, what: string): void {
  const stat = statSync(path)
  const isSticky = (stat.mode & 0o1000) !== 0
  const isOwnGroup = stat.gid === process.getgid?.() && stat.gid === stat.uid
  const mode = stat.mode & (isSticky ? ~0o022 : isOwnGroup ? ~0o020 : ~0)
  checkOwner(path, what, Object.assign(stat, { mode }))
}

function createUntrustedFileError(
  message: string,
  hint = 'Correct it: nothing runs until it can be read',
) {
  return new SkillsError('policy/invalid', message, { hint })
}
