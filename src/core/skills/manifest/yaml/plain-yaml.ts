import type { PlainObject } from '../source.ts'

/** A key and a text on one line, without characters that YAML refuses or that are rare. */
const LINE = createLinePattern()
/** Words that are not texts, and texts that end before the end of the line. */
const NOT_TEXT = /^(?:null|true|false)$|: | #|[: ]$/i

/**
 * Parses YAML that has nothing but lines `key: text`, as most front matter. Undefined for all other
 * YAML, and for all that YAML refuses: only then its parser is loaded, which takes longer than to
 * read hundreds of skills.
 */
export function parsePlainYaml(yaml: string): PlainObject | undefined {
  const data: PlainObject = Object.create(null) as PlainObject
  for (const line of yaml.split('\n')) {
    if (line === '') continue
    const [, key = '', plain, double, single] = LINE.exec(line) ?? []
    const text = plain ?? double ?? single
    if (text === undefined || key in data || NOT_TEXT.test(key)) return undefined
    if (plain !== undefined && NOT_TEXT.test(plain)) return undefined
    data[key] = text
  }
  return data
}

function createLinePattern(): RegExp {
  // Control characters, separators of lines, private characters, and parts of others.
  const rare = String.raw`\0-\x1f\x7f-\xa0\u2028\u2029\ud800-\uf8ff\ufe00-\uffff`
  const plain = String.raw`[A-Za-z\u00c0-\u1fff\u3040-\ud7ff][^${rare}]*`
  const double = String.raw`"([^"\\${rare}]*)"`
  return new RegExp(`^([A-Za-z][\\w-]{0,63}): (?:(${plain})|${double}|'([^'${rare}]*)')$`)
}
