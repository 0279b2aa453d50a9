import { execFileSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_READ, readContainedFile } from '../../../../src/core/skills/repository/contained-file.ts'
import { createFolder } from '../../../helpers/skills.ts'

function createSkill(): string {
  const dir = createFolder({ 'secret.txt': 'SECRET', 'skill/SKILL.md': 'hello', 'skill/a/b.txt': 'b' })
  const inside = join(dir, 'skill')
  symlinkSync('../secret.txt', join(inside, 'leak.txt'))
  symlinkSync('..', join(inside, 'up'))
  symlinkSync('a/b.txt', join(inside, 'near.txt'))
  return inside
}

describe('a file of a skill', () => {
  it.each(['SKILL.md', 'a/b.txt', 'near.txt'])('is read inside the skill: %s', async (path) => {
    expect((await readContainedFile(createSkill(), path)).length).toBeGreaterThan(0)
  })

  it.each([
    '../secret.txt',
    'a/../../secret.txt',
    '/etc/passwd',
    'C:/x',
    '..\\secret.txt',
    'SKILL.md\0.txt',
    '%2e%2e/secret.txt',
    '',
    '.',
    'leak.txt',
    'up/secret.txt',
  ])('is rejected outside the skill: %j', async (path) => {
    await expect(readContainedFile(createSkill(), path)).rejects.toMatchObject({ code: 'file/outside' })
  })

  it('is rejected if it is a pipe, without waiting for a writer', async () => {
    const dir = createSkill()
    execFileSync('mkfifo', [join(dir, 'pipe')])
    await expect(readContainedFile(dir, 'pipe')).rejects.toMatchObject({ code: 'file/not-found' })
  })

  it('is read up to the limit and rejected above it, with its size', async () => {
    const dir = createSkill()
    writeFileSync(join(dir, 'full'), Buffer.alloc(MAX_READ))
    writeFileSync(join(dir, 'over'), Buffer.alloc(MAX_READ + 1))
    expect(await readContainedFile(dir, 'full')).toHaveLength(MAX_READ)
    await expect(readContainedFile(dir, 'over')).rejects.toMatchObject({
      code: 'file/too-large',
      message: expect.stringContaining(String(MAX_READ + 1)) as string,
    })
  })

  it('is never read from outside the skill, for any path', async () => {
    const dir = createSkill()
    const part = fc.constantFrom(
      '..',
      '.',
      '',
      'a',
      'up',
      'skill',
      'secret.txt',
      'leak.txt',
      '%2e%2e',
      '\\',
      '\0',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
        const bytes = await readContainedFile(dir, parts.join('/')).catch(() => Buffer.alloc(0))
        expect(Buffer.from(bytes).toString()).not.toContain('SECRET')
      }),
      { numRuns: 500 },
    )
  })
})
