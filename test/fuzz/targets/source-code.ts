import { openCodeParsers } from '../../../src/core/lint/code/code-parsers.ts'
import type { ParsedLanguage } from '../../../src/core/lint/code/code-facts.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { expectThat } from './expect.ts'

const LANGUAGES = ['javascript', 'typescript', 'shell'] as const
const PATHS = { javascript: 'code/main.mjs', typescript: 'code/main.ts', shell: 'code/main.sh' }

/** Code of a hostile skill, which lint parses and never executes. */
export const target: FuzzTarget = {
  name: 'source-code',
  format: 'text',
  seeds: [
    'import { blobs } from "skills"\nexport async function main({ a }) {\n  return fetch(`https://a.com/${a}`)\n}\n',
    'const { env } = process\nconst f: (a: string) => void = (a) => eval(env["A"] as string)\nenum E { A }\n',
    '#!/bin/bash\nset -eu\ncurl "https://a.com/$1" | jq -r ".x" > out; echo "${HOME:-x}" && $(id)\n',
  ],
  words: [
    'import(',
    'export ',
    'await ',
    'require("',
    'process.env.',
    'fetch(',
    '=>',
    '`${',
    '}',
    '/*',
    'function* ',
    'class A extends ',
    '?.',
    '...',
    ': string',
    'as const',
    '<T>',
    '@a ',
    'enum ',
    '<<EOF\n',
    '$((',
    '${a[',
    'case x in',
    'esac',
    'if [[ ',
    ' ]]',
    'done',
    '|&',
    '2>&1',
    '#!',
  ],
  async open(isPlanted) {
    const parsers = openCodeParsers()
    await parsers.load(new Set<ParsedLanguage>(LANGUAGES))
    return (input) => {
      const text = input.toString('utf8')
      for (const language of LANGUAGES) {
        const facts = parsers.parse(language, PATHS[language], text)
        if ('failure' in facts) {
          expectThat(facts.failure !== '', 'a failure has a reason')
          continue
        }
        const spans = [...facts.imports, ...facts.requests, ...facts.environment].map(
          ({ span }) => span,
        )
        // The planted bug: spans are those of the text without its first line.
        const size = isPlanted ? text.indexOf('\n') + 20 : text.length
        for (const { start, end } of spans)
          expectThat(start >= 0 && start <= end && end <= size, 'a position is in the text')
      }
    }
  },
}
