import type { DigestFailure } from './digest.ts'
import { matchLines, type DigestParser } from './parser.ts'

const TOTAL = /^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?(?:, (\d+) errors? .*)?$/
const TITLE = /^ {2}\d+\) (.+)$/
const LOCATION = /^ {5}# (?:\.\/)?(\S+?):(\d+)(?::in .*)?$/
const SUMMARY = /^rspec (?:\.\/)?(\S+?):(\d+) # (.+)$/
/** Repeats the source, or explains a comparison. */
const NOISE = /^ +(?:Failure\/Error: |# |\(compared using )|^\s*$/

/** RSpec's formatters `progress` and `documentation`. */
export const rspecParser: DigestParser = {
  kind: 'rspec',
  command: /(?:^|[\s/])rspec(?:\s|$)/,
  looksLike: (lines) => lines.some((line) => TOTAL.test(line)),
  parse({ all }) {
    const total = matchLines(all, TOTAL).at(-1)
    if (!total) return undefined
    const [, count, failed, , errors] = total
    const details = parseDetails(all)
    const failures = matchLines(all, SUMMARY).map(
      ([, file = '', line, name = '']): DigestFailure => ({
        name,
        file,
        line: Number(line),
        message: details.get(name) ?? 'failed',
      }),
    )
    const outside = errors === undefined ? [] : parseLoadErrors(all)
    const ok = Number(failed) === 0 && errors === undefined
    const summary = ok ? `${count} examples passed` : `${failed}/${count} examples failed`
    return { ok, summary, failures: [...failures, ...outside] }
  },
}

/** Messages by the name of the example: the lines after the source, joined. */
function parseDetails(lines: readonly string[]): Map<string, string> {
  const details = new Map<string, string>()
  for (const [at, line] of lines.entries()) {
    const name = TITLE.exec(line)?.[1]
    if (name === undefined) continue
    const rest = lines.slice(at + 1)
    const end = rest.findIndex((each) => LOCATION.test(each) || TITLE.test(each))
    const part = (end === -1 ? rest.slice(0, 20) : rest.slice(0, end)).filter(
      (each) => !NOISE.test(each),
    )
    if (part.length > 0) details.set(name, part.map((each) => each.trim()).join(' '))
  }
  return details
}

function parseLoadErrors(lines: readonly string[]): DigestFailure[] {
  return [...lines.keys()]
    .filter((at) => (lines[at] ?? '').startsWith('An error occurred while loading '))
    .map((at) => {
      const file = (lines[at] ?? '').replace(/^An error occurred while loading (?:\.\/)?/, '')
      const reason = lines.slice(at + 1, at + 20).find((line) => /^\w*Error:?$/.test(line.trim()))
      const index = reason === undefined ? at + 1 : lines.indexOf(reason, at) + 1
      const message = [reason?.trim(), lines[index]?.trim()].filter(Boolean).join(' ')
      return { file: file.replace(/\.$/, ''), message: message || 'cannot be loaded' }
    })
}
