import { rotate } from '../texts/decode-text.ts'

/** A text that a shell prints and pipes through programs, whose output it uses. */
const PRINTED =
  /(?:\$\(|`)\s*(echo(?:\s+-\w+)?|printf(?:\s+["']?(?:%s|%b)+(?:\\n)?["']?)?)((?:\s+(?:"[^"$`\n]{1,2000}"|'[^'\n]{1,2000}'|[\w+/=.\\-]{1,2000})){1,60})((?:\s*\|\s*[^|`)\n]{2,80}){0,4})\s*(?:\)|`)/g

/** Puts what a shell prints and decodes in place of the substitution, and words without quotation marks. */
export function foldShell(text: string): string {
  if (!/\$\(|`|\|\s*"|[;&(]\s*"/.test(text)) return text
  return text
    .replace(PRINTED, (...found: string[]) => {
      const [whole = '', program = '', words = '', pipe = ''] = found
      const items = words.match(/"[^"]*"|'[^']*'|\S+/g) ?? []
      const printed = items
        .map((each) => each.replace(/^["']|["']$/g, ''))
        .join(program.startsWith('echo') ? ' ' : '')
      const filters = pipe
        .split('|')
        .map((each) => each.trim())
        .filter(Boolean)
      const output = filters.reduce<string | undefined>(
        (each, filter) => (each === undefined ? undefined : applyFilter(each, filter)),
        printed,
      )
      if (output === undefined) return whole
      return filters.length > 0 && / /.test(output) ? `"${output.replace(/["\n]/g, ' ')}"` : output
    })
    .replace(/(?<=(?:[|;&(]|^)\s{0,4})["']([\w./-]{1,80})["'](?=\s|$)/gm, '$1')
}

/** The output of a program of a pipe; undefined if it is not known. */
function applyFilter(text: string, filter: string): string | undefined {
  if (/^"?base64"?\s+(?:-d|-D|--decode)/.test(filter)) return toReadable(text, 'base64')
  if (/^"?xxd"?\s+.*-r/.test(filter)) return toReadable(text.replace(/[\s:]/g, ''), 'hex')
  if (/^"?rev"?$/.test(filter)) return [...text].toReversed().join('')
  if (/^"?tr"?\s.*A-Z.*N-Z/i.test(filter)) return rotate(text)
  return /^tr\s+-d\s/.test(filter) ? text : undefined
}

function toReadable(text: string, encoding: 'base64' | 'hex'): string | undefined {
  const decoded = Buffer.from(text, encoding).toString('utf8')
  return decoded.length > 1 && !/[\u0000-\u0008\uFFFD]/.test(decoded) ? decoded : undefined
}
