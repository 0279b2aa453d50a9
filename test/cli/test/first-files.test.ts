import { expect, it } from 'vitest'
import { createFolder, runSkills } from '../../helpers/skills.ts'

const FAKES =
  '{ python3 = { stdout = "fake" }, node = { stdout = "fake" }, sh = { stdout = "fake" } }'

async function runCase(code: string, expectations: string): Promise<string[]> {
  const cwd = createFolder({
    'skills/e/skill.toml':
      'name = "demo.e"\nversion = "0.1.0"\ndescription = "x"\nkind = "action"\n[runtime]\nlanguage = "python"\nentrypoint = "code/main.py"\nexport = "main"\n',
    'skills/e/code/main.py': code,
    'skills/e/tests/e.test.toml': `[[cases]]\nname = "a"\nfakes = ${FAKES}\nexpect = [${expectations}]\n`,
  })
  const { stdout, stderr } = await runSkills(['test', '--json'], { cwd })
  expect(stderr).toBe('')
  const { cases } = JSON.parse(stdout) as {
    cases: { attempts: { failures: { message: string }[] }[] }[]
  }
  return cases.flatMap(({ attempts }) =>
    attempts.flatMap(({ failures }) => failures.map(({ message }) => message)),
  )
}

it('a fake command with the name of the interpreter does not replace it', async () => {
  // Control: a program that the code finds on PATH is the fake one.
  const code = `
import subprocess
def main(args):
    return subprocess.run(["sh", "-c", "echo real"], capture_output=True, text=True).stdout
`
  const called = '{ calls = { command = "sh", times = 1 } }'
  const notCalled = '{ calls = { command = "python3", times = 0 } }'
  expect(await runCase(code, `{ result = { equals = "fake" } }, ${called}, ${notCalled}`)).toEqual(
    [],
  )
}, 60_000)

it('a link in place of the record of calls reaches no file of the host', async () => {
  const code = (link: string) => `
import os, subprocess
def main(args):
    subprocess.run(["sh"])
    calls = ".skills-test/calls"
    ${link}
    return "done"
`
  const attack = 'os.remove(calls); os.symlink("/etc/passwd", calls)'
  const none = '{ calls = { command = "sh", times = 0 } }, { result = { equals = "done" } }'
  expect(await runCase(code(attack), none)).toEqual([])
  // Control: without the link, the record has the call.
  expect(await runCase(code('pass'), none)).toEqual([expect.stringContaining('sh')])
}, 60_000)
