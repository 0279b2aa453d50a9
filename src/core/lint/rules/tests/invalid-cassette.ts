import { join } from 'node:path'
import { CASSETTE_EXTENSION } from '../../../testing/cassettes/find-cassette.ts'
import { readCassette } from '../../../testing/cassettes/read-cassette.ts'
import { TESTS_FOLDER } from '../../../testing/suites/find-suites.ts'
import type { Rule } from '../../rule.ts'

const EXCHANGE = `[[exchanges]]
request = { method = "GET", url = "https://example.com/" }
`

export const INVALID_CASSETTE: Rule = {
  id: 'tests/invalid-cassette',
  severity: 'error',
  what: 'A file of recorded requests has a mistake',
  why: '"skills test" runs nothing while one of its files is not valid.',
  example: {
    bad: { 'tests/greet/a.cassette.toml': `${EXCHANGE}response = { code = 200 }\n` },
    good: { 'tests/greet/a.cassette.toml': `${EXCHANGE}response = { status = 200 }\n` },
  },
  fix: 'Correct the key or the value at the reported position, or record the case again.',
  check(skill, report) {
    for (const { path: file, type } of skill.files) {
      const isCassette = file.startsWith(`${TESTS_FOLDER}/`) && file.endsWith(CASSETTE_EXTENSION)
      const text = type === 'file' && isCassette ? skill.read(file) : undefined
      if (text === undefined) continue
      const { problems } = readCassette(join(skill.dir, file), text)
      for (const { span, message, help } of problems) {
        report({ file, span, message, help })
      }
    }
  },
}
