import type { Rule } from '../../rule.ts'
import { createExampleToml } from '../../example-skill.ts'
import { readTextFiles } from '../../skill-facts.ts'
import { isDataFile } from '../../text-spans.ts'

export const CRLF: Rule = {
  id: 'hygiene/crlf',
  severity: 'warning',
  what: 'A text file has CR LF line endings',
  why: 'Scripts with CR LF do not start, and digests differ between machines.',
  example: { bad: { 'skill.toml': createExampleToml().replaceAll('\n', '\r\n') }, good: {} },
  fix: 'Save the file with LF line endings.',
  fixable: 'safe',
  check(skill, report) {
    for (const { file, text } of readTextFiles(skill)) {
      // RFC 4180 requires CR LF in tables.
      const first = isDataFile(file) ? -1 : text.indexOf('\r\n')
      if (first === -1) continue
      const count = text.split('\r\n').length - 1
      report({
        file,
        span: { start: first, end: first + 2 },
        message: `${count === 1 ? '1 line ends' : `${count} lines end`} with CR LF, expected LF`,
        // Only scripts and manifests with CR LF behave in another way.
        ...(!/^SKILL\.md$|\.(?:sh|bash|py|toml)$/.test(file) && { severity: 'info' }),
        help: 'Set "* text=auto eol=lf" in .gitattributes to keep LF',
        edits: [
          {
            kind: 'replace',
            file,
            span: { start: 0, end: text.length },
            text: text.replaceAll('\r\n', '\n'),
          },
        ],
      })
    }
  },
}
