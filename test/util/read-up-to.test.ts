import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readTextUpTo, readUpTo } from '../../src/util/bytes/read-up-to.ts'
import { createFolder } from '../helpers/skills.ts'

describe('reading up to a limit', () => {
  it('returns all bytes of a file below it', () => {
    const file = join(createFolder(), 'file')
    const bytes = Buffer.alloc(200_000, 'abc')
    writeFileSync(file, bytes)
    expect(readUpTo(file, 200_000)?.equals(bytes)).toBe(true)
    expect(readUpTo(file, 199_999)).toBeUndefined()
    expect(readUpTo('/dev/null', 0)?.length).toBe(0)
  })

  it('rejects an endless file', () => {
    expect(readUpTo('/dev/zero', 1_000_000)).toBeUndefined()
    expect(() => readTextUpTo('/dev/zero', 10)).toThrow('it has more than 10 bytes')
  })
})
