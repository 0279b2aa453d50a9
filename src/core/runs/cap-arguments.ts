import { listNames } from '../../util/slices/list-names.ts'
import type { Steps } from '../../util/slices/run-in-slices.ts'
import { writeJson, writeText } from '../../util/slices/write-json.ts'
import type { Plain, PlainObject } from '../skills/manifest/manifest.ts'
import type { Redactor } from './redaction/redact.ts'

/** Bytes of one argument in a record, and of all arguments. */
const MAX_ARGUMENT_BYTES = 4096
const MAX_ARGUMENTS_BYTES = 16 * 1024
/** Maximum number of entries in `args_cut`. */
const MAX_CUT = 100
/** Characters of a name in a record. */
const MAX_NAME_CHARS = 200

interface CappedArguments {
  args: PlainObject
  args_cut: { name: string; size_bytes: number }[]
}

/**
 * Redacts and caps arguments for a run record: oversized values become null and are listed in
 * `args_cut`.
 */
export function* capArguments(input: PlainObject, redactor: Redactor): Steps<CappedArguments> {
  const args = Object.create(null) as { [name: string]: Plain }
  const cut: CappedArguments['args_cut'] = []
  let remaining = MAX_ARGUMENTS_BYTES
  for (const key of yield* listNames(input)) {
    yield
    if (cut.length === MAX_CUT && remaining < 2) break
    const value = yield* serializeCapped(input[key] as Plain, redactor)
    const name = yield* redactName(key, redactor)
    const entryBytes = Buffer.byteLength(name) + value.size
    if (value.text !== undefined && entryBytes <= remaining) {
      args[name] = JSON.parse(value.text) as Plain
      remaining -= entryBytes
    } else if (cut.length < MAX_CUT) {
      const shortName = name.slice(0, MAX_NAME_CHARS)
      if (shortName === name) args[name] = null
      cut.push({ name: shortName, size_bytes: value.size })
    }
  }
  return { args, args_cut: cut }
}

/** Returns the size of a redacted value, and its JSON unless it is oversized. */
function* serializeCapped(
  value: Plain,
  redactor: Redactor,
): Steps<{ size: number; text: string | undefined }> {
  const chunks: Buffer[] = []
  let size = 0
  const take = (bytes: Buffer) => {
    size += bytes.length
    if (size <= MAX_ARGUMENT_BYTES) chunks.push(bytes)
  }
  yield* writeJson(value, take, redactor.hasSecrets ? redactor : undefined)
  const isCut = size > MAX_ARGUMENT_BYTES
  return { size, text: isCut ? undefined : Buffer.concat(chunks).toString('utf8') }
}

function* redactName(name: string, redactor: Redactor): Steps<string> {
  if (!redactor.hasSecrets) return name
  const chunks: Buffer[] = []
  yield* writeText(name, (bytes) => void chunks.push(bytes), redactor)
  return Buffer.concat(chunks).toString('utf8')
}
