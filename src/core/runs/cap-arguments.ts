import type { Plain, PlainObject } from '../skills/manifest/manifest.ts'

/** Bytes of one argument in a record, and of all arguments. */
const MAX_ARGUMENT_BYTES = 4096
const MAX_ARGUMENTS_BYTES = 16 * 1024

interface CappedArguments {
  args: PlainObject
  args_cut: { name: string; size_bytes: number }[]
}

/** Caps arguments for a run record: oversized values become null and are listed in `args_cut`. */
export function capArguments(input: PlainObject): CappedArguments {
  const args = Object.create(null) as { [name: string]: Plain }
  const cut: CappedArguments['args_cut'] = []
  let remaining = MAX_ARGUMENTS_BYTES
  for (const [name, value] of Object.entries(input)) {
    const size = Buffer.byteLength(JSON.stringify(value))
    const entryBytes = Buffer.byteLength(name) + size
    if (size <= MAX_ARGUMENT_BYTES && entryBytes <= remaining) {
      args[name] = value
      remaining -= entryBytes
    } else {
      const shortName = name.slice(0, 200)
      if (shortName === name && cut.length < 100) args[name] = null
      if (cut.length < 100) cut.push({ name: shortName, size_bytes: size })
    }
  }
  return { args, args_cut: cut }
}
