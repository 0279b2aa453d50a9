import { SkillsError } from '../../errors.ts'
import { getListOption, type CommandLine } from '../command.ts'

/** The end of a log, or an epoch of a fleet, as an earlier verification printed it. */
interface Anchor {
  number: number
  hash: string
}

/** Reads `--anchor`. Throws with the command that prints anchors. */
export function readAnchors(call: CommandLine, command: string): Anchor[] {
  return getListOption(call, 'anchor').map((text) => {
    const [, number, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
    if (number !== undefined && hash !== undefined) return { number: Number(number), hash }
    const message = `Expected a number, a colon and 64 hex digits for --anchor, got "${text}"`
    throw new SkillsError('usage/invalid', message, {
      hint: `Use the text that "${command}" printed after "anchor"`,
    })
  })
}
