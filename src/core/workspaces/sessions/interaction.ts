import { stripVTControlCharacters } from 'node:util'

/** Input that a waiting program expects, as far as its output shows. */
export interface Interaction {
  needs_input: boolean
  kind?: 'prompt' | 'selection'
  /** The last line of its output. */
  hint?: string
}

const OPTION = /^\s*(?:[>❯*]\s*)?[([]?\d{1,3}[.)\]:]\s*\S/
const CHOOSE = /(?:enter|choose|select|pick|type) (?:a|the|an)?\s*(?:number|option|choice)/i
const MAX_HINT = 500

/** Detects a prompt in the last lines; `isWaiting` comes from the kernel. */
export function detectInteraction(
  lines: readonly string[],
  isWaiting: boolean,
): Interaction | undefined {
  if (!isWaiting) return undefined
  const plain = lines.map((line) => stripVTControlCharacters(line).trimEnd())
  const nonBlank = plain.filter((line) => line.trim() !== '')
  const hint = nonBlank.at(-1)?.trim().slice(-MAX_HINT)
  if (hint === undefined) return { needs_input: true }
  const options = nonBlank.slice(-30).filter((line) => OPTION.test(line)).length
  const isChoice = options >= 2 || nonBlank.slice(-5).some((line) => CHOOSE.test(line))
  return { needs_input: true, kind: isChoice ? 'selection' : 'prompt', hint }
}
