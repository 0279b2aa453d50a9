import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openSecretsFile } from '../../../src/core/runs/redaction/secrets.ts'
import { createFolder } from '../../helpers/skills.ts'

describe('openSecretsFile()', () => {
  it('returns the requested values, as the file is now', async () => {
    const dir = createFolder({ secrets: 'A=1\nB="2"\n# remark\nC=3\n' })
    const { values } = openSecretsFile(join(dir, 'secrets'))
    expect(Object.fromEntries(await values(['A', 'B', 'NONE']))).toEqual({ A: '1', B: '2' })
  })

  it('reads nothing if no names are requested, or there is no file', async () => {
    expect((await openSecretsFile('/nowhere/secrets').values([])).size).toBe(0)
    expect((await openSecretsFile(undefined).values(['A'])).size).toBe(0)
  })

  it('fails if the file cannot be read', async () => {
    const reading = openSecretsFile('/nowhere/secrets').values(['A'])
    await expect(reading).rejects.toMatchObject({ code: 'file/unreadable' })
  })
})
