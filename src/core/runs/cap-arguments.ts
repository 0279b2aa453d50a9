import type { Plain, PlainObject } from '../skills/manifest/manifest.ts'

/** Bytes of one argument in a record, and of all arguments. */
const MAX_ARGUMENT_BYTES = 4096
const MAX_ARGUMENTS_BYTES = 16 * 1024

interface CappedArguments {
  args: PlainObject
  args_cut: { name: string; size_bytes: number }[]
}

/** Caps arguments for a run record: oversized values become null and are listed in `args_cut`. */
export function capArguments(given: PlainObject): CappedArguments {
  const args = Object.create(null) as { [name: string]: Plain }
  const cut: CappedArguments['args_cut'] = []
  let room = MAX_ARGUMENTS_BYTES
  for (const [name, value] of Object.entries(given)) {
    const size = Buffer.byteLength(JSON.stringify(value))
    const taken = Buffer.byteLength(name) + size
    if (size <= MAX_ARGUMENT_BYTES && taken <= room) {
      args[name] = value
      room -= taken
    } else {
      const shown = name.slice(0, 200)
      if (shown === name && cut.length < 100) args[name] = null
      if (cut.length < 100) cut.push({ name: shown, size_bytes: size })
    }
  }
  return { args, args_cut: cut }
}
