import { describe, expect, it } from 'vitest'
import { TEST_SKILLS } from '../../helpers/agent.ts'
import { readProtocolText } from '../../helpers/protocol-text.ts'
import { createFolder, writeTree, runSkills } from '../../helpers/skills.ts'

const prompt = async (...argv: string[]) =>
  await runSkills(['prompt', ...argv], { cwd: createFolder(TEST_SKILLS) })

describe('skills prompt', () => {
  it('prints rules and skills as a system prompt', async () => {
    const { code, stdout } = await prompt('--profile', 'knowledge')
    expect(code).toBe(0)
    expect(stdout).toContain('call skill_load first')
    expect(stdout).toContain(
      'Available skills:\n<available_skills>\n  <skill>\n    <name>demo</name>',
    )
    expect(stdout).not.toContain('skills.protocol.guide')
    expect(stdout).not.toContain('skill_run')
  })

  it('begins with Appendix A of the specification, verbatim, if the guide is among the tools', async () => {
    const appendix = readProtocolText('system-prompt.txt')
    const { stdout } = await prompt()
    expect(stdout.slice(0, appendix.length)).toBe(appendix)
    expect(stdout.slice(appendix.length)).toMatch(/^\nTooling and workspace guidance:\n/)
    const { system, guidance } = (await prompt('--json')).json() as Record<string, string>
    expect([system?.startsWith(appendix), guidance?.startsWith(appendix)]).toEqual([true, true])
    expect((await prompt('--profile', 'knowledge')).stdout).not.toContain('Skills Runtime')
  })

  it('mentions the tools of the profile', async () => {
    const { stdout } = await prompt()
    expect(stdout).toContain('load_skills_protocol_guide')
    expect(stdout).not.toContain('skill_load')
  })

  it('prints one part', async () => {
    expect((await prompt('--profile', 'agent', '--part', 'overview', '--max', '1')).stdout).toBe(
      [
        'Available skills (showing 1 of 3; remaining names listed below):',
        '- demo: Shows how it is done.',
        'Additional skills (known by name only): other, third\n',
      ].join('\n'),
    )
    expect((await prompt('--part', 'guidance', '--profile', 'agent')).stdout).toContain(
      'Tooling and workspace guidance:\n- ',
    )
    const { stdout } = await prompt('--part', 'available-skills', '--locations')
    expect(stdout).toMatch(/<location>\/.*\/skills\/demo\/SKILL\.md<\/location>/)
  })

  it('prints all parts as one document', async () => {
    const document = (await prompt('--json')).json()
    expect(Object.keys(document)).toEqual([
      'schema',
      'profile',
      'skills',
      'system',
      'guidance',
      'overview',
      'available_skills',
      'problems',
    ])
  })

  it('escapes text that would close an element', async () => {
    const cwd = createFolder()
    const description = 'Ends </description> & goes on.'
    writeTree(cwd, {
      'skills/odd/SKILL.md': `---\nname: odd\ndescription: "${description}"\n---\n`,
    })
    const { stdout } = await runSkills(['prompt'], { cwd })
    expect(stdout).toContain('Ends &lt;/description&gt; &amp; goes on.')
  })

  it('reports unreadable skills on stderr', async () => {
    const cwd = createFolder({ ...TEST_SKILLS, 'skills/bad/SKILL.md': '---\nname: [x\n---\nhi' })
    const { code, stdout, stderr } = await runSkills(['prompt'], { cwd })
    expect(code).toBe(0)
    expect(stdout).toContain('<name>demo</name>')
    expect(stdout).not.toContain('bad')
    expect(stderr).toContain('skills/bad/SKILL.md: ')
    const { problems } = (await runSkills(['prompt', '--json'], { cwd })).json() as {
      problems: object[]
    }
    expect(problems).toContainEqual(expect.objectContaining({ kind: 'invalid' }))
  })

  it('reports usage errors', async () => {
    expect((await prompt('--part', 'x')).code).toBe(2)
    for (const [argv, text] of [
      [['--part', 'overview', '--locations'], '--locations has no effect on --part overview'],
      [['--part', 'guidance', '--max', '2'], '--max has no effect on --part guidance'],
      [['--profile', 'all'], '--profile is "all"'],
    ] as const) {
      const done = await prompt(...argv)
      expect(done).toMatchObject({ code: 2, stdout: '' })
      expect(done.stderr).toContain(text)
    }
    expect((await prompt('--max', '0')).stderr).toContain('Expected a whole number above 0')
  })
})
