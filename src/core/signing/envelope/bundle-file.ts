import { randomBytes } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, renameSync, rmSync } from 'node:fs'
import { readSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SkillsError, throwIfExhausted } from '../../../errors.ts'
import { syncFolder, writeSynced } from '../../../util/durable-file.ts'
import { formatEnvelope, parseEnvelope, type SignedEnvelope } from './dsse.ts'
import { splitJsonLines } from './json-lines.ts'
import { isNpmAttestations, parseNpmAttestations } from './npm-attestations.ts'

/** Extension of a file of envelopes, one a line. */
export const BUNDLE_EXTENSION = '.intoto.jsonl'

/** Extension of a bundle that tools of sigstore write. */
export const SIGSTORE_EXTENSION = '.sigstore.json'

const MAX_BYTES = 8 * 1024 ** 2
/** Limit for all files of one artifact. `gh attestation download` writes up to 30. */
const MAX_ENVELOPES = 64

/**
 * Files next to an artifact that may have its signatures. `gh attestation download` names its file
 * by the digest of the archive.
 */
export function listBundleFiles(path: string, archiveDigest: string | undefined): string[] {
  const named = [BUNDLE_EXTENSION, SIGSTORE_EXTENSION].map((extension) => path + extension)
  return archiveDigest === undefined
    ? named
    : [...named, join(dirname(path), `${archiveDigest}.jsonl`)]
}

/** Reads the envelopes of a file; undefined if it does not exist. */
export function readBundle(file: string): SignedEnvelope[] | undefined {
  const text = readBundleText(file)
  return text === undefined ? undefined : parseBundle(text, file)
}

/** Parses the text of a file of envelopes; `file` is for messages. */
export function parseBundle(text: string, file: string): SignedEnvelope[] {
  if (isNpmAttestations(text)) {
    return parseNpmAttestations(text, (problem) => malformedBundleError(file, problem))
  }
  const lines = splitJsonLines(text)
  if (lines.length > MAX_ENVELOPES) {
    throw malformedBundleError(file, `it has more than ${MAX_ENVELOPES} lines`)
  }
  return lines.map((line, at) =>
    parseEnvelope(line, (problem) => malformedBundleError(file, `line ${at + 1}: ${problem}`)),
  )
}

/** Reads the envelopes of all files that exist; undefined if there is none. */
export function readBundleFiles(files: readonly string[]): FoundBundles | undefined {
  const found = files.flatMap((file) => {
    const envelopes = readBundle(file)
    return envelopes ? [{ file, envelopes }] : []
  })
  if (found.length === 0) return undefined
  const place = found.map(({ file }) => file).join('" and "')
  return { place, envelopes: mergeBundles(found, place) }
}

/** Joins the envelopes of several files, within the limit of one. */
export function mergeBundles(
  bundles: readonly Pick<FoundBundles, 'envelopes'>[],
  place: string,
): SignedEnvelope[] {
  const envelopes = bundles.flatMap((each) => each.envelopes)
  if (envelopes.length <= MAX_ENVELOPES) return envelopes
  throw malformedBundleError(place, `there are more than ${MAX_ENVELOPES}`)
}

/** Envelopes of several files. */
interface FoundBundles {
  /** Paths of the files, for messages. */
  place: string
  envelopes: readonly SignedEnvelope[]
}

/** Replaces a file of envelopes atomically. */
export async function writeBundle(
  file: string,
  envelopes: readonly SignedEnvelope[],
): Promise<void> {
  const draft = `${file}.${randomBytes(8).toString('hex')}`
  try {
    await writeSynced(draft, envelopes.map((each) => `${formatEnvelope(each)}\n`).join(''))
    renameSync(draft, file)
    await syncFolder(dirname(file))
  } finally {
    rmSync(draft, { force: true })
  }
}

function readBundleText(file: string): string | undefined {
  let descriptor: number
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (cause) {
    throwIfExhausted(cause)
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw malformedBundleError(file, `it cannot be read (${code})`)
  }
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFile()) throw malformedBundleError(file, 'it is not a file')
    // The size is checked before anything is read, and bounds what is read.
    if (stat.size > MAX_BYTES) {
      throw malformedBundleError(file, `it has ${stat.size} bytes, expected at most ${MAX_BYTES}`)
    }
    const bytes = Buffer.alloc(stat.size)
    const length = readSync(descriptor, bytes, 0, stat.size, 0)
    return bytes.toString('utf8', 0, length)
  } finally {
    closeSync(descriptor)
  }
}

export function malformedBundleError(file: string, problem: string): SkillsError {
  return new SkillsError(
    'signature/malformed',
    `The signatures "${file}" are not valid: ${problem}`,
    {
      hint: 'Fetch the file again, or ask its signer for another',
    },
  )
}
