import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openSecrets } from '../../../src/core/runs/redaction/secrets.ts'
import { createFolder } from '../../helpers/skills.ts'

describe('openSecrets()', () => {
  it('asks the command for names that the file does not have, and not again at once', async () => {
    const dir = createFolder({ secrets: 'A=from the file' })
    const log = join(dir, 'asked')
    const script = 'echo "$1" >> "$0"; test "$1" = B && echo "from the command"'
    const settings = { file: join(dir, 'secrets'), command: ['sh', '-c', script, log, '{name}'] }
    const secrets = openSecrets(settings)
    const values = { A: 'from the file', B: 'from the command' }
    expect(Object.fromEntries(await secrets.values(['A', 'B', 'C'], process.env))).toEqual(values)
    expect(Object.fromEntries(await secrets.values())).toEqual(values)
    expect(readFileSync(log, 'utf8')).toBe('B\nC\n')
  })

  it('says which program did not start', async () => {
    const { values } = openSecrets({ file: undefined, command: ['no-such-program'] })
    await expect(values(['A'], process.env)).rejects.toMatchObject({
      message: expect.stringMatching(
        /secrets\.command gave no value for A: .*no-such-program/,
      ) as string,
      hint: 'Type it in a terminal: no-such-program A',
    })
  })

  it('returns the requested values, as the file is now', async () => {
    const dir = createFolder({ secrets: 'A=1\nB="2"\n# remark\nC=3\n' })
    const { values } = openSecrets({ file: join(dir, 'secrets'), command: [] })
    expect(Object.fromEntries(await values(['A', 'B', 'NONE']))).toEqual({ A: '1', B: '2' })
  })

  it('reads nothing if no names are requested, or there is no file', async () => {
    expect((await openSecrets({ file: '/nowhere/secrets', command: [] }).values([])).size).toBe(0)
    expect((await openSecrets({ file: undefined, command: [] }).values(['A'])).size).toBe(0)
  })

  it('fails if the file cannot be read', async () => {
    const reading = openSecrets({ file: '/nowhere/secrets', command: [] }).values(['A'])
    await expect(reading).rejects.toMatchObject({ code: 'file/unreadable' })
  })
})
