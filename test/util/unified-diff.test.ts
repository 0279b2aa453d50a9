import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createUnifiedDiff } from '../../src/util/unified-diff.ts'
import { createFolder } from '../helpers/skills.ts'

/** Applies the diff with git and returns the file. */
function apply(before: string, after: string): string {
  const dir = createFolder({ 'f.txt': before })
  writeFileSync(join(dir, 'change.diff'), `${createUnifiedDiff('f.txt', before, after)}\n`)
  execFileSync('git', ['apply', '--unidiff-zero', 'change.diff'], { cwd: dir, stdio: 'pipe' })
  return readFileSync(join(dir, 'f.txt'), 'utf8')
}

describe('createUnifiedDiff()', () => {
  it.each([
    ['a line in the middle', 'a\nb\nc\n', 'a\nB\nc\n'],
    ['a final line feed that is added', 'a\nb', 'a\nb\n'],
    ['a final line feed that is removed', 'a\nb\n', 'a\nb'],
    ['no final line feed on either side', 'a\nb', 'A\nb'],
    ['changes far apart', `${'x\n'.repeat(30)}end\n`, `first\n${'x\n'.repeat(30)}END\n`],
    ['line ends', 'a\r\nb\r\n', 'a\nb\n'],
  ])('is applied by git: %s', (_, before, after) => {
    expect(apply(before, after)).toBe(after)
  })

  it('is empty for equal texts', () => {
    expect(createUnifiedDiff('f', 'a\n', 'a\n')).toBe('')
  })

  it('uses /dev/null for a new file', () => {
    expect(createUnifiedDiff('f', undefined, 'a\n').split('\n')[0]).toBe('--- /dev/null')
  })
})
