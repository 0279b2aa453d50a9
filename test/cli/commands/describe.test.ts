import { describe, expect, it } from 'vitest'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { createFolder, runSkills } from '../../helpers/skills.ts'

const TOML = `
[inputs]
name = { type = "string", description = "Name of the person to greet", required = true }
[permissions]
network = ["https://*.salesforce.com", "https://api.example.com"]
secrets = ["API_TOKEN"]
`

function project(markdown?: string) {
  const tree = createActionSkill('demo.greet', { toml: TOML })
  return createFolder({
    ...prefixPaths(
      'skills/greet',
      markdown === undefined ? tree : { ...tree, 'SKILL.md': markdown },
    ),
    ...prefixPaths('skills/old', createActionSkill('demo.greet', { version: '0.0.1' })),
  })
}

describe('skills describe', () => {
  it('shows manifest, inputs, permissions, documentation, files and other versions', async () => {
    const { code, stdout } = await runSkills(['describe', 'demo.greet'], { cwd: project() })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^demo\.greet 0\.1\.0\nGreets somebody by name\.\n/)
    expect(stdout).toMatch(/name\s+string\s+required\s+Name of the person to greet/)
    expect(stdout).toContain('May connect to https hosts under salesforce.com')
    expect(stdout).toContain('May connect to api.example.com over https')
    expect(stdout).toContain('The secret API_TOKEN is inside of the sandbox')
    expect(stdout).toContain('Says hello.')
    expect(stdout).toMatch(/\d+ B +code\/main\.py/)
    expect(stdout).toMatch(/Other versions +0\.0\.1/)
    expect(stdout).not.toContain('\u001b')
  })

  it('states that nothing is allowed', async () => {
    const { stdout } = await runSkills(['describe', 'demo.greet@0.0.1'], { cwd: project() })
    expect(stdout).toContain('Has no network\nGets no secrets')
  })

  it('describes an unfinished skill folder', async () => {
    const { code, json } = await runSkills(['describe', './skills/old', '--json'], {
      cwd: project(),
    })
    expect(code).toBe(0)
    expect(json()).toMatchObject({ schema: 'skills.skill/v1', skill: { version: '0.0.1' } })
  })

  it('truncates long documentation without --full', async () => {
    const long = `---\nname: greet\ndescription: x\n---\n${'Line.\n\n'.repeat(40)}The end.\n`
    const cwd = project(long)
    const short = await runSkills(['describe', 'demo.greet'], { cwd })
    const full = await runSkills(['describe', 'demo.greet', '--full'], { cwd })
    expect(short.stdout).toMatch(/… \d+ more lines: add --full/)
    expect(short.stdout).not.toContain('The end.')
    expect(full.stdout).toContain('The end.')
  })

  it('removes escape sequences of documentation, entities included', async () => {
    const evil = '---\nname: greet\ndescription: x\n---\n# A\u001b[31m\n\nB &#27;[2J `c\u009b`\n'
    const { stdout } = await runSkills(['describe', 'demo.greet'], { cwd: project(evil) })
    expect(stdout).toContain('A\\u001b[31m')
    expect(stdout).not.toMatch(/[\u001b\u009b]/)
  })

  it('shows the examples as commands with their end, and the rest with --full', async () => {
    const examples = [
      '[[examples]]\ndescription = "greets"\nargs = { name = "O\'Hara" }\nresult = { greeting = "Hello" }\n',
      '[[examples]]\nerror = "Validation\\u202eError"\n',
      '[[examples]]\nargs = { name = "a", table = "data/a.csv" }\n',
      '[[examples]]\ndescription = "the last"\n',
    ].join('')
    const inputs = '[inputs]\nname = { type = "string" }\ntable = { type = "blob" }\n'
    const tree = createActionSkill('demo.greet', { toml: `${inputs}${examples}` })
    const cwd = createFolder(prefixPaths('skills/greet', { ...tree, 'data/a.csv': 'a\n' }))
    const env = { COLUMNS: '200' }
    const { stdout } = await runSkills(['describe', 'demo.greet'], { cwd, env })
    expect(stdout).toContain(
      `Examples\ngreets\n  skills exec demo.greet --args '{"name":"O'\\''Hara"}'\n  → {"greeting":"Hello"}\n`,
    )
    expect(stdout).toContain('fails with Validation\\u202eError')
    expect(stdout).toContain(`--blob table=${cwd}/skills/greet/data/a.csv`)
    expect(stdout).toContain('… 1 more example: add --full')
    expect((await runSkills(['describe', 'demo.greet', '--full'], { cwd, env })).stdout).toContain(
      'the last\n  skills exec demo.greet\n',
    )
    const json = await runSkills(['describe', 'demo.greet', '--json'], { cwd })
    expect(JSON.parse(json.stdout)).toMatchObject({
      skill: {
        examples: [
          { description: 'greets', args: { name: "O'Hara" }, result: { greeting: 'Hello' } },
          { error: 'Validation\u202eError' },
          {},
          {},
        ],
      },
    })
  })

  it('suggests a similar name', async () => {
    const { code, stderr } = await runSkills(['describe', 'demo.gret'], { cwd: project() })
    expect(code).toBe(3)
    expect(stderr).toContain('Unknown skill "demo.gret"')
    expect(stderr).toContain('Did you mean "demo.greet"?')
  })

  it('lists the existing versions if the requested one is missing', async () => {
    const { code, stderr } = await runSkills(['describe', 'demo.greet@9.0.0'], { cwd: project() })
    expect(code).toBe(3)
    expect(stderr).toContain('Did you mean "demo.greet@0.1.0"? It has 0.1.0, 0.0.1')
  })
})
