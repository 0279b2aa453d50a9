import type { LineIndex } from '../../util/line-index.ts'
import { scanMarkdown } from '../../core/lint/markdown/markdown-scan.ts'
import type { MarkdownSource } from '../../core/skills/manifest/source.ts'
import { EXIT_CODE } from '../../core/testing/expectations/exit-code.ts'
import { type Expectation, defineExpectation } from '../../core/testing/expectations/expectation.ts'
import type { TestCase } from '../../core/testing/suites/suite.ts'
import { textField } from '../../core/testing/document/field.ts'
import { fitsElidedText } from '../../core/testing/expectations/elided-text.ts'

const LANGUAGES = new Set(['console', 'sh-session', 'shell-session'])

/** Commands of console blocks with their output: lines that begin with `$ `, and those that follow. */
export function listTranscripts(
  markdown: MarkdownSource,
  lines: LineIndex,
): Pick<TestCase, 'name' | 'position' | 'action' | 'expectations'>[] {
  const { code } = scanMarkdown(markdown)
  return code
    .filter(({ language }) => LANGUAGES.has(language))
    .flatMap(({ text, start }) => readBlock(text, start))
    .filter(({ command }) => !/^skills\b/.test(command))
    .map(({ command, output, offset }) => {
      const position = lines.positionAt(offset)
      const expect = (kind: Expectation['kind'], value: unknown): Expectation => {
        return { kind, value, isNegated: false, position }
      }
      return {
        name: `$ ${command}`,
        position,
        action: { kind: 'command', command, stdin: undefined },
        expectations: [
          expect(EXIT_CODE, 0),
          ...(output === '' ? [] : [expect(TRANSCRIPT, output)]),
        ],
      }
    })
}

interface DocumentedCommand {
  command: string
  output: string
  offset: number
}

function readBlock(text: string, start: number): DocumentedCommand[] {
  const commands: DocumentedCommand[] = []
  let offset = start
  let isContinued = false
  for (const line of text.split('\n')) {
    const last = commands.at(-1)
    if (line.startsWith('$ ')) commands.push({ command: line.slice(2), output: '', offset })
    else if (last && isContinued) last.command += `\n${line}`
    else if (last) last.output += `${line}\n`
    isContinued = (isContinued || line.startsWith('$ ')) && line.endsWith('\\')
    offset += line.length + 1
  }
  return commands.map((each) => ({
    ...each,
    output: each.output.replace(/\n+$/, '\n').replace(/^\n$/, ''),
  }))
}

/** The output of a documented command. Suites use stdout and stderr instead. */
const TRANSCRIPT = defineExpectation({
  name: 'transcript',
  summary: 'The output that SKILL.md shows',
  example: '',
  field: textField('The output'),
  judge(expected, { stdout, stderr }) {
    const actual = [stdout, stderr].filter((text) => text !== '').join('')
    const difference = { kind: 'text', expected, actual } as const
    const isMet = fitsElidedText(expected.trimEnd(), actual.trimEnd())
    return { isMet, expected: 'the documented output', difference }
  },
})
