import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { RunningHash } from '../../src/util/running-hash.ts'

const of = (text: string) => createHash('sha256').update(text).digest('hex')

it('a running hash equals that of all chunks together', () => {
  const hash = new RunningHash()
  for (const piece of ['a', '', 'bc']) hash.update(Buffer.from(piece))
  expect(hash.hex()).toBe(of('abc'))
})

it('a running hash without input equals that of empty text', () => {
  expect(new RunningHash().hex()).toBe(of(''))
})
