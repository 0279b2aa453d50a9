import { describe, expect, it } from 'vitest'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { createFolder, runSkills } from '../../helpers/skills.ts'

function project() {
  return createFolder(
    prefixPaths('skills/greet', {
      ...createActionSkill('demo.greet'),
      'resources/no-end.txt': 'a\r\nb',
      'resources/bytes.bin': new Uint8Array([0, 255, 27, 254]),
    }),
  )
}

describe('skills read', () => {
  it('prints the bytes unchanged', async () => {
    const { code, stdout } = await runSkills(['read', 'demo.greet', 'resources/no-end.txt'], {
      cwd: project(),
    })
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'a\r\nb' })
  })

  it('rejects binary content on a terminal, with an alternative', async () => {
    const { code, stdout, stderr } = await runSkills(
      ['read', 'demo.greet', 'resources/bytes.bin'],
      {
        cwd: project(),
        tty: true,
      },
    )
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('> file')
  })

  it('encodes bytes as base64 in JSON', async () => {
    const { json } = await runSkills(['read', 'demo.greet', 'resources/bytes.bin', '--json'], {
      cwd: project(),
    })
    expect(json()).toMatchObject({ encoding: 'base64', content: 'AP8b/g==', size_bytes: 4 })
  })

  it('accepts the folder of a skill', async () => {
    const { stdout } = await runSkills(['read', 'skills/greet', 'resources/no-end.txt'], {
      cwd: project(),
    })
    expect(stdout).toBe('a\r\nb')
  })

  it.each([
    ['resources/bytes.bim', 'Did you mean "skills read demo.greet resources/bytes.bin"?'],
    ['resources', 'Did you mean "skills read demo.greet resources/bytes.bin"?'],
    ['nothing-like-it', 'Type "skills describe demo.greet" to see its files'],
  ])('suggests existing files for %s', async (path, hint) => {
    const { code, stderr } = await runSkills(['read', 'demo.greet', path], { cwd: project() })
    expect(code).toBe(3)
    expect(stderr).toContain(hint)
  })

  it('gives the path of a file that is too large for a response', async () => {
    const cwd = createFolder(
      prefixPaths('skills/greet', {
        ...createActionSkill('demo.greet'),
        'resources/big': 'x'.repeat(1048577),
      }),
    )
    const { code, stderr } = await runSkills(['read', 'demo.greet', 'resources/big'], { cwd })
    expect(code).toBe(3)
    expect(stderr).toContain(`Read it at its path: ${cwd}/skills/greet/resources/big`)
  })

  it.each(['../../secret', '/etc/passwd', 'a\\..\\b'])('rejects %s', async (path) => {
    const { code, stdout } = await runSkills(['read', 'demo.greet', path], { cwd: project() })
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
  })
})
