import { matchLines, type DigestParser } from './parser.ts'

const LINE = /^npm (?:ERR!|error) ?(.*)$/
/** Lines that do not name a reason. */
const NOISE = /^(?:code |errno |syscall |path |A complete log|To see a list of|  npm |npm |\s*\/|$)/
const MAX_REASONS = 5

/** Npm's own errors; the programs that it runs have their own parsers. */
export const npmParser: DigestParser = {
  kind: 'npm',
  command: /(?:^|[\s/])(?:npm|npx)(?:\s|$)/,
  looksLike: (lines) => lines.some((line) => LINE.test(line)),
  parse({ all }) {
    const messages = [...new Set(matchLines(all, LINE).map(([, text = '']) => text))]
    const reasons = messages.filter((text) => !NOISE.test(text)).slice(0, MAX_REASONS)
    const [first] = reasons.length > 0 ? reasons : messages
    if (first === undefined) return undefined
    const failures = (reasons.length > 0 ? reasons : [first]).map((message) => ({ message }))
    return { ok: false, summary: first, failures }
  },
}
