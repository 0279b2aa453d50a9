import { describe, expect, it } from 'vitest'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { createFolder, runSkills } from '../../helpers/skills.ts'

function project() {
  return createFolder({
    ...prefixPaths('skills/greet', createActionSkill('demo.greet')),
    ...prefixPaths('skills/greet-old', createActionSkill('demo.greet', { version: '0.0.9' })),
    ...prefixPaths('skills/other', createActionSkill('demos.other')),
    'skills/text/SKILL.md': '---\nname: text\ndescription: Explains.\n---\n# T\n',
  })
}

describe('skills list', () => {
  it('prints one line per version, newest first', async () => {
    const { code, stdout } = await runSkills(['list'], { cwd: project() })
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/\s+/).slice(0, 2).join(' '))
    expect(code).toBe(0)
    expect(lines).toEqual([
      'demo.greet 0.1.0',
      'demo.greet 0.0.9',
      'demos.other 0.1.0',
      'text 0.0.0',
    ])
  })

  it('filters by namespace on dots, by kind, and to the newest', async () => {
    const cwd = project()
    const names = async (...argv: string[]) =>
      (
        (await runSkills(['list', '--json', ...argv], { cwd })).json()['skills'] as {
          name: string
        }[]
      ).map((each) => each.name)
    expect(await names('--namespace', 'demo')).toEqual(['demo.greet', 'demo.greet'])
    expect(await names('--namespace', 'demo', '--latest')).toEqual(['demo.greet'])
    expect(await names('--kind', 'action')).not.toContain('text')
  })

  it('suggests the next command if no skill matches', async () => {
    const { code, stdout, stderr } = await runSkills(['list', '--tag', 'none'], { cwd: project() })
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toContain('No skill matches these filters')
  })

  it('reports duplicates on stderr with both paths', async () => {
    const cwd = createFolder({
      ...prefixPaths('skills/one', createActionSkill('demo.same')),
      ...prefixPaths('skills/two', createActionSkill('demo.same')),
    })
    const { stderr } = await runSkills(['list'], { cwd })
    expect(stderr).toContain('skills/one')
    expect(stderr).toContain('skills/two')
  })

  it('fits into a terminal of 40 columns', async () => {
    const { stdout } = await runSkills(['list', '--long'], {
      cwd: project(),
      tty: true,
      columns: 40,
      env: { NO_COLOR: '1' },
    })
    const described = stdout.split('\n').filter((line) => line.startsWith('  '))
    expect(described.length).toBeGreaterThan(0)
    expect(Math.max(...described.map((line) => line.length))).toBeLessThanOrEqual(40)
  })

  it('removes control characters of descriptions on a terminal', async () => {
    const tree = createActionSkill('demo.evil')
    const evil = '\\u001b]0;owned\\u0007Greets'
    const markdown = String(tree['SKILL.md']).replaceAll(/: (Greets.*)/g, `: "${evil}"`)
    const toml = String(tree['skill.toml']).replace('Greets', evil)
    const cwd = createFolder(
      prefixPaths('skills/evil', { 'skill.toml': toml, 'SKILL.md': markdown }),
    )
    const { stdout } = await runSkills(['list'], { cwd })
    expect(stdout).toContain('\\u001b]0;owned\\u0007Greets')
    expect(stdout).not.toContain('\u001b')
  })
})
