const ESCAPE = 0x1b
const BELL = 0x07
const MAX_PENDING_BYTES = 64 * 1024
/**
 * Titles, links and colours. Other commands of this kind read or write state of the terminal's
 * user.
 */
const HARMLESS_COMMANDS = /^(?:0|1|2|4|8|10|11|12|104|110|111|112|133)(?:;|$)/

/**
 * Filters output for a terminal: programs in the sandbox must not access the clipboard, nor trigger
 * replies that contain text of their choice. Drawing sequences pass.
 */
export class TerminalGuard {
  #pending: Buffer = Buffer.alloc(0)

  filter(chunk: Buffer): Buffer {
    const all = Buffer.concat([this.#pending, chunk])
    this.#pending = Buffer.alloc(0)
    const passed: Buffer[] = []
    let from = 0
    for (let at = all.indexOf(ESCAPE); at !== -1; at = all.indexOf(ESCAPE, from)) {
      passed.push(all.subarray(from, at))
      const end = findSequenceEnd(all, at)
      if (end === undefined) {
        // Drops a sequence that exceeds the limit without an end.
        if (all.length - at < MAX_PENDING_BYTES) this.#pending = all.subarray(at)
        return Buffer.concat(passed)
      }
      const sequence = all.subarray(at, end)
      if (isHarmless(sequence)) passed.push(sequence)
      from = end
    }
    passed.push(all.subarray(from))
    return Buffer.concat(passed)
  }
}

/** End of a sequence; undefined if it is incomplete. */
function findSequenceEnd(bytes: Buffer, start: number): number | undefined {
  const kind = bytes[start + 1]
  if (kind === undefined) return undefined
  const sign = String.fromCharCode(kind)
  if (']PX^_'.includes(sign)) return findTextEnd(bytes, start + 2)
  if (sign !== '[') return start + 2
  for (let at = start + 2; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte >= 0x40 && byte <= 0x7e) return at + 1
    // Any other byte ends the sequence.
    if (byte < 0x20 || byte > 0x7e) return at
  }
  return undefined
}

/** String commands end with BEL, or with ESC and a backslash. */
function findTextEnd(bytes: Buffer, start: number): number | undefined {
  for (let at = start; at < bytes.length; at++) {
    if (bytes[at] === BELL) return at + 1
    if (bytes[at] !== ESCAPE) continue
    if (at + 1 === bytes.length) return undefined
    return bytes[at + 1] === 0x5c ? at + 2 : at
  }
  return undefined
}

function isHarmless(sequence: Buffer): boolean {
  const text = sequence.toString('latin1')
  if (text.startsWith('\u001b]')) {
    const isQuestion = /;\?/.test(text)
    return HARMLESS_COMMANDS.test(text.slice(2)) && !isQuestion
  }
  // Window title reports and device control strings, which may query settings.
  if (/^\u001b[PX^_]/.test(text)) return false
  return !/^\u001b\[(?:\d+;)*2[01]t$/.test(text)
}
