import { createFolder, runSkills, type Tree } from '../../helpers/skills.ts'

export const FAKE = 'the-fake-value-of-the-token'
export const REAL = 'the-real-value-of-the-token'

const CODE = `
import os, random, subprocess, time
def main(args):
    print("said", args)
    if args.get("fail"):
        raise ValueError("wrong amount")
    git = subprocess.run(["git", "status"], capture_output=True, text=True).stdout
    return {"time": time.time(), "random": random.random(), "git": git, "token": os.environ.get("TOKEN")}
`

const NOTES = '---\nname: notes\ndescription: Keeps notes.\n---\n\n# Notes\n\nWrite short notes.\n'

/** Creates a skill with these cases, another skill, and a real secret of the operator. */
export function createProject(
  cases: string,
  { hosts = '[]', ...more }: Tree & { hosts?: string } = {},
): string {
  return createFolder({
    'demo/skill.toml': `name = "demo.talk"
version = "0.1.0"
description = "Talks with people."
kind = "action"
[runtime]
language = "python"
entrypoint = "code/main.py"
export = "main"
[permissions]
network = ${hosts}
secrets = ["TOKEN"]
`,
    'demo/SKILL.md': '---\nname: talk\ndescription: Talks.\n---\n\n# Talk\n\nRun bin/talk.sh.\n',
    'demo/code/main.py': CODE,
    'notes/SKILL.md': NOTES,
    'skills.config.toml': `[run.network]\nallow_private = ["127.0.0.1"]\n[secrets]\nfile = "secrets.env"\n`,
    'secrets.env': `TOKEN=${REAL}\n`,
    'demo/tests/talk.test.toml': cases,
    ...more,
  })
}

/** A tool call, in TOML. */
export const call = (tool: string, args: object) => `{ tool = "${tool}", args = ${toToml(args)} }`

/** Arguments as an inline table. */
function toToml(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(toToml).join(', ')}]`
  const pairs = Object.entries(value).map(([name, each]) => `${name} = ${toToml(each)}`)
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`
}

interface Scripted {
  name?: string
  more?: string
  calls: readonly string[]
  expected: readonly string[]
}

const TOOLS =
  'tools = ["skill_load", "skill_run", "workspace_exec", "workspace_read", "workspace_write"]'

/** A case in which each call is an answer of its own. */
export const writeCase = ({ name = 'talks', more = '', calls, expected }: Scripted) => `
[[cases]]
name = "${name}"
${more}${more.includes('tools =') ? '' : `\n${TOOLS}`}
conversation = [
${[...calls.map((each) => `  { calls = [${each}] }`), '  { text = "Done." }'].join(',\n')}
]
expect = [
  ${expected.join(',\n  ')},
]
`

export const LOAD = call('skill_load', { skill: 'demo.talk' })
export const run = (command: string) => call('skill_run', { skill: 'demo.talk', command })

export async function runTests(cwd: string, words: readonly string[] = []) {
  const env = { CI: '' }
  return await runSkills(['test', 'demo', '--reporter', 'concise', ...words], {
    cwd,
    env,
    trusts: true,
  })
}
