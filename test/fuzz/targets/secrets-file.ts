import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SkillsError } from '../../../src/errors.ts'
import { readSecretsFile } from '../../../src/core/runs/redaction/secrets.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { expectEqual, expectThat } from './expect.ts'
import { createTemporaryFolder } from './temporary-folder.ts'

/** A file of NAME=value lines. */
export const target: FuzzTarget = {
  name: 'secrets-file',
  format: 'text',
  seeds: [
    'A=1\nexport B="two words" # comment\nC=\'three\'\n# D=4\n',
    'KEY="line\\nbreak \\"quoted\\""\r\nEMPTY=\n',
  ],
  words: ['export ', '=', '"', "'", '#', ' #', '\\n', '\\"', '\\\\', '\n', '\r\n', 'A', '_', '\t'],
  open(isPlanted) {
    const file = join(createTemporaryFolder(), 'secrets')
    return (input) => {
      writeFileSync(file, input)
      try {
        const secrets = readSecretsFile(file)
        for (const [name, value] of secrets) {
          expectThat(/^[A-Za-z_]\w*$/.test(name), 'a name is an identifier')
          // What is written with quotes is read back.
          const content = isPlanted ? value.replaceAll('\\', '') : value
          const written = JSON.stringify(value).replaceAll(/\\u00../g, '')
          writeFileSync(file, `${name}=${written}\n`)
          if (!/[^ -~\n\r\t]/.test(value))
            expectEqual(readSecretsFile(file).get(name), content, 'the value')
        }
      } catch (error) {
        if (!(error instanceof SkillsError)) throw error
        expectThat(/^Line \d+ of /.test(error.message), 'an error has a number and no value')
      }
    }
  },
}
