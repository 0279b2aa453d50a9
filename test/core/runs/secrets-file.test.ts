import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSecretsFile } from '../../../src/core/runs/redaction/secrets.ts'
import { createFolder } from '../../helpers/skills.ts'

function read(text: string) {
  return Object.fromEntries(readSecretsFile(join(createFolder({ '.env': text }), '.env')))
}

describe('readSecretsFile', () => {
  it.each([
    ['A=1', '1'],
    ['export A=1', '1'],
    ['  export  A = 1 ', '1'],
    ['A="two words" # a comment', 'two words'],
    [`A='it # stays \\n'`, 'it # stays \\n'],
    [String.raw`A="line\nnext \"quoted\" \\"`, 'line\nnext "quoted" \\'],
    ['A=plain # a comment', 'plain'],
    ['A=with#sign', 'with#sign'],
    ['A=a=b', 'a=b'],
    ['A=', ''],
    ['A= # nothing', ''],
    ['\n# comment\r\nA=1\r\n', '1'],
  ])('reads %j as %j', (text, value) => expect(read(text)).toEqual({ A: value }))

  it.each(['A', '1A=x', 'A="open', "A='open", 'A="a" b'])(
    'rejects %j without repeating it',
    (line) => {
      expect(() => read(`OK=1\n${line}`)).toThrow(/^Line 2 of ".*\.env" is not NAME=value$/)
    },
  )
})
