import { readLock } from '../../../src/core/skills/dependencies/lock-file.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { expectEqual, expectThat } from './expect.ts'

const HASH = `--hash=sha256:${'0123456789abcdef'.repeat(4)}`

/** Lock files of a hostile package: each line that is installed pins a version and hashes. */
export const target: FuzzTarget = {
  name: 'lock-file',
  format: 'text',
  seeds: [
    `requests==2.31.0 ${HASH}\n`,
    `# c\nA_b[x,y]==1.0 ; python_version >= "3.8" \\\n    ${HASH} \\\n    ${HASH}\n`,
  ],
  words: [
    HASH,
    '==',
    '>=',
    ' ; ',
    '[a]',
    '\\\n',
    '#',
    '-r other.txt',
    '--index-url https://a',
    ' @ ',
    '==1.*',
    'git+https://a',
    './x.whl',
    'file:///a',
    '\r\n',
    '\u00A0',
    '\t',
    '--',
    "'",
    '"',
    '\v',
    '\u2028',
  ],
  open: (isPlanted) => (input) => {
    const text = input.toString('utf8')
    const { pins, problems } = readLock(text)
    expectThat(pins.length + problems.length > 0, 'an empty file is a problem')
    for (const { start, end } of problems)
      expectThat(start >= 0 && start <= end && end <= text.length, 'a position is in the text')
    for (const { name, version, line } of pins) {
      expectThat(/^[a-z0-9-]+$/.test(name) && version !== '', 'a pin has a name and a version')
      const words = line.split(/\s+/)
      // The planted bug: another option passes behind the hash.
      if (isPlanted && words.length > 2) words.push('--index-url')
      const options = words.filter((each) => each.startsWith('-'))
      expectThat(options.length > 0, 'a pin has a hash')
      for (const each of options)
        expectThat(/^--hash=sha256:[0-9a-f]{64}$/.test(each), `${each} is a hash`)
      expectThat(!/[\n\r\\#]|:\/\/|\s@/.test(line), 'a pin is one line without an address')
      expectEqual(readLock(line).pins, [{ name, version, line }], 'the pin as printed')
    }
  },
}
