import { describe, expect, it } from 'vitest'
import { rewritePaths } from '../../../src/core/sandbox/process/rewrite-paths.ts'

const places = new Map([
  ['/code', '/tmp/run/code'],
  ['/build', '/cache/made'],
  ['/toolchains', '/opt'],
  ['/toolchains/0a', '/home/ada/node'],
])

describe('rewritePaths()', () => {
  it.each([
    ['/code/main.py', '/tmp/run/code/main.py'],
    ['/code', '/tmp/run/code'],
    ['-out:/build/program.exe', '-out:/cache/made/program.exe'],
    ['--outfile=/build/main.mjs', '--outfile=/cache/made/main.mjs'],
    ['/toolchains/0a/bin:/usr/bin:/toolchains/b', '/home/ada/node/bin:/usr/bin:/opt/b'],
    ['/x.mjs?from=%2Fbuild%2Fa.js', '/x.mjs?from=%2Fcache%2Fmade%2Fa.js'],
  ])('rewrites %s', (word, moved) => {
    expect(rewritePaths(word, places)).toBe(moved)
  })

  it.each(['/codes/x', 'code/x', '"/code/x"', 'a /code/x', '/usr/code', ''])(
    'leaves %j unchanged',
    (word) => {
      expect(rewritePaths(word, places)).toBe(word)
    },
  )
})
