import { expect, it } from 'vitest'
import { createActionSkill } from '../helpers/projects.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

const CASES = `[[cases]]
name = "runs"
args = {}
expect = [{ status = "completed" }]
`

function createProject(): string {
  const files = Object.entries(createActionSkill('demo.echo')).map(
    ([path, content]) => [`skills/echo/${path}`, content] as const,
  )
  return createFolder({
    ...Object.fromEntries(files),
    'skills/echo/code/main.py': 'def main(args):\n    return args\n',
    'skills/echo/tests/echo.test.toml': CASES,
  })
}

it.each(['lint', 'test', 'test review'])('skills %s takes the name of a skill', async (command) => {
  const { code, stderr } = await runSkills([...command.split(' '), 'demo.echo'], {
    cwd: createProject(),
  })
  expect(stderr).not.toContain('does not exist')
  expect(code).toBe(0)
})

it.each(['lint', 'test'])('skills %s suggests the name of a skill', async (command) => {
  const { code, stderr } = await runSkills([command, 'demo.eco'], { cwd: createProject() })
  expect(stderr).toContain('Did you mean "demo.echo"?')
  expect(code).toBe(3)
})

it('a path that no skill resembles does not exist', async () => {
  const { code, stderr } = await runSkills(['test', 'other.toml'], { cwd: createProject() })
  expect(stderr).toContain('"other.toml" does not exist')
  expect(code).toBe(2)
})

it('a folder comes before a skill of the same name', async () => {
  const cwd = createFolder({
    ...Object.fromEntries(
      Object.entries(createActionSkill('demo.echo')).map(([path, content]) => [
        `skills/echo/${path}`,
        content,
      ]),
    ),
    'demo.echo/readme.txt': 'not a skill',
  })
  const { code, stderr } = await runSkills(['test', 'demo.echo'], { cwd })
  expect(stderr).toContain('No skill found at "demo.echo"')
  expect(code).toBe(2)
})
