import { describe, expect, it } from 'vitest'
import { actionSkill, under } from '../../helpers/projects.ts'
import { folder, skills } from '../../helpers/skills.ts'

function project() {
  return folder({
    ...under('skills/greet', actionSkill('demo.greet')),
    ...under('skills/greet-old', actionSkill('demo.greet', { version: '0.0.9' })),
    ...under('skills/other', actionSkill('demos.other')),
    'skills/text/SKILL.md': '---\nname: text\ndescription: Explains.\n---\n# T\n',
  })
}

describe('skills list', () => {
  it('prints one line per version, newest first', async () => {
    const { code, stdout } = await skills(['list'], { cwd: project() })
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/\s+/).slice(0, 2).join(' '))
    expect(code).toBe(0)
    expect(lines).toEqual([
      'demo.greet 0.1.0',
      'demo.greet 0.0.9',
      'demos.other 0.1.0',
      expect.stringContaining('skills.protocol.guide'),
      'text 0.0.0',
    ])
  })

  it('filters by namespace on dots, by kind, and to the newest', async () => {
    const cwd = project()
    const names = async (...argv: string[]) =>
      (
        (await skills(['list', '--json', ...argv], { cwd })).json()['skills'] as { name: string }[]
      ).map((each) => each.name)
    expect(await names('--namespace', 'demo')).toEqual(['demo.greet', 'demo.greet'])
    expect(await names('--namespace', 'demo', '--latest')).toEqual(['demo.greet'])
    expect(await names('--kind', 'action')).not.toContain('text')
  })

  it('says what to do where no skill matches', async () => {
    const { code, stdout, stderr } = await skills(['list', '--tag', 'none'], { cwd: project() })
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toContain('No skill matches these filters')
  })

  it('reports duplicates on standard error with both places', async () => {
    const cwd = folder({
      ...under('skills/one', actionSkill('demo.same')),
      ...under('skills/two', actionSkill('demo.same')),
    })
    const { stderr } = await skills(['list'], { cwd })
    expect(stderr).toContain('skills/one')
    expect(stderr).toContain('skills/two')
  })

  it('fits into 40 columns of a terminal', async () => {
    const { stdout } = await skills(['list', '--long'], {
      cwd: project(),
      tty: true,
      columns: 40,
      env: { NO_COLOR: '1' },
    })
    const described = stdout.split('\n').filter((line) => line.startsWith('  '))
    expect(described.length).toBeGreaterThan(0)
    expect(Math.max(...described.map((line) => line.length))).toBeLessThanOrEqual(40)
  })

  it('never sends control characters of a description to the terminal', async () => {
    const tree = actionSkill('demo.evil')
    const evil = '\\u001b]0;owned\\u0007Greets'
    const markdown = String(tree['SKILL.md']).replaceAll(/: (Greets.*)/g, `: "${evil}"`)
    const toml = String(tree['skill.toml']).replace('Greets', evil)
    const cwd = folder(under('skills/evil', { 'skill.toml': toml, 'SKILL.md': markdown }))
    const { stdout } = await skills(['list'], { cwd })
    expect(stdout).toContain('\\u001b]0;owned\\u0007Greets')
    expect(stdout).not.toContain('\u001b')
  })
})
