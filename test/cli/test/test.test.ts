import { describe, expect, it } from 'vitest'
import { createActionSkill } from '../../helpers/projects.ts'
import { createFolder, runSkills, type Tree } from '../../helpers/skills.ts'

const ECHO = 'def main(args):\n    print("said", args)\n    return args\n'

function createSkill(cases: string, more: Tree = {}): string {
  return createFolder({
    ...createActionSkill('demo.echo', { toml: '' }),
    'code/main.py': ECHO,
    'tests/echo.test.toml': cases,
    ...more,
  })
}

describe('skills test', () => {
  it('runs every kind of case and exits with 0', async () => {
    const cwd = createSkill(`
[[cases]]
name = "calls the function"
args = { a = 1 }
expect = [{ status = "completed" }, { result = { equals = { a = 1 } } }, { logs = { contains = "said" } }]

[[cases]]
name = "calls code that imports the skill"
code = "from skills.demo.echo import main"
args = { a = 2 }
expect = [{ result = { path = "a", equals = 2 } }]

[[cases]]
name = "runs a command in the folder of the skill"
command = "ls; cat; cat $WORK_DIR/x.txt; exit 3"
files = { "work/x.txt" = "from a file" }
stdin = "from stdin "
expect = [{ exit_code = 3 }, { stdout = { contains = ["SKILL.md", "from stdin from a file"] } }]
`)
    const ran = await runSkills(['test'], { cwd })
    expect(ran.stderr).toBe('')
    expect(ran.stdout).toMatch(/✓ demo\.echo › echo › calls the function/)
    expect(ran.stdout).toMatch(/\n3 passed \(3 cases, /)
    expect(ran.code).toBe(0)
  })

  it('shows the difference of a failed case, and exits with 1', async () => {
    const cwd = createSkill(
      '[[cases]]\nname = "fails"\nargs = { a = 1 }\nexpect = [{ result = { equals = { a = 2 } } }]\n',
    )
    const { code, stdout } = await runSkills(['test'], { cwd })
    expect(code).toBe(1)
    expect(stdout).toContain('tests/echo.test.toml:4:11')
    expect(stdout).toContain('-  "a": 2')
    expect(stdout).toContain('+  "a": 1')
    expect(stdout).toContain('│ said')
  })

  it('shows the error of a run once, and the lines of the skill that it passed through', async () => {
    const skill = createActionSkill('demo.broken')
    const cwd = createFolder({
      ...skill,
      'code/main.py': 'def main(args):\n    return args["nme"]\n',
      'tests/a.test.toml':
        '[[cases]]\nname = "a"\nexpect = [{ status = "completed" }, { result = { equals = 1 } }]\n',
    })
    const { stdout } = await runSkills(['test'], { cwd })
    expect(stdout.split("KeyError: 'nme'")).toHaveLength(2)
    expect(stdout).toContain('code/main.py:2 in main')
  })

  it('refuses arguments that the skill does not declare', async () => {
    const skill = createActionSkill('demo.strict')
    const cwd = createFolder({
      ...skill,
      'tests/a.test.toml':
        '[[cases]]\nname = "a"\nargs = { nme = "x" }\nexpect = [{ status = "refused" }, { error = { message = { contains = "Unknown argument" } } }]\n',
    })
    expect(await runSkills(['test'], { cwd })).toMatchObject({ code: 0 })
  })

  it('reports mistakes with their positions, runs nothing and exits with 2', async () => {
    const cwd = createSkill('[[cases]]\nname = "a"\nargz = {}\nexpect = [{ status = "failed" }]\n')
    const { code, stdout, stderr } = await runSkills(['test'], { cwd })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('tests/echo.test.toml:3:1: Unknown key "argz"')
  })

  it('exits with 3 if there is no case', async () => {
    const { code, stderr } = await runSkills(['test'], {
      cwd: createFolder(createActionSkill('demo.echo')),
    })
    expect(code).toBe(3)
    expect(stderr).toContain('Nothing ran: no case was found')
  })

  it('gives functions the files of their case', async () => {
    const code = 'def main(args):\n    return open("in/a.txt").read()\n'
    const cwd = createSkill(
      '[[cases]]\nname = "reads"\nfiles = { "in/a.txt" = "content" }\nexpect = [{ result = { equals = "content" } }]\n',
      { 'code/main.py': code },
    )
    expect(await runSkills(['test'], { cwd })).toMatchObject({ code: 0 })
  })

  it('passes fake secrets, never those of the operator', async () => {
    const secret = '\n[permissions]\nsecrets = ["TOKEN"]\n'
    const code = 'import os\ndef main(args):\n    return os.environ.get("TOKEN") == "fake"\n'
    const cases =
      '[[cases]]\nname = "a"\nsecrets = { TOKEN = "fake" }\nexpect = [{ result = { equals = true } }]\n\n[[cases]]\nname = "b"\nexpect = [{ result = { equals = false } }]\n'
    const cwd = createFolder({
      ...createActionSkill('demo.echo', { toml: secret }),
      'code/main.py': code,
      'tests/echo.test.toml': cases,
      'secrets.env': 'TOKEN=fake\n',
    })
    const env = { SKILLS_SECRETS_FILE: `${cwd}/secrets.env` }
    const exec = await runSkills(['exec', '.'], { cwd, env })
    expect(exec.stdout).toBe('true\n')
    expect(await runSkills(['test'], { cwd, env })).toMatchObject({ code: 0 })
  })
})
