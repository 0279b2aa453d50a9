import { expect, it } from 'vitest'
import { formatProgress } from '../../../src/cli/ui/progress-bar.ts'

const REPORT = { done: 5, total: 20, message: 'reading pages' }

it.each([
  [80, true, '█████░░░░░░░░░░░░░░░ 25% 5/20 reading pages'],
  [80, false, '#####--------------- 25% 5/20 reading pages'],
  [40, true, '█████░░░░░░░░░░░░░░░ 25% 5/20'],
  [10, true, '25% 5/20'],
  [4, true, '25%'],
  [2, true, ''],
])('progress fits into %i columns (Unicode: %s)', (room, isUnicode, expected) => {
  expect(formatProgress(REPORT, { room, isUnicode })).toBe(expected)
})

it('no steps at all are complete, and control characters are shown', () => {
  const options = { room: 80, isUnicode: false }
  const text = formatProgress({ done: 0, total: 0, message: 'a\u001B[2Jb' }, options)
  expect(text).toBe('#################### 100% 0/0 a\\u001b[2Jb')
})
