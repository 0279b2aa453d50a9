import { existsSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { createCallers } from '../../helpers/server.ts'
import { startServe } from '../../helpers/served.ts'
import { createFolder, runSkills, writeTree, type Tree } from '../../helpers/skills.ts'

vi.setConfig({ testTimeout: 120_000 })

const SKILL_MD = `---
name: report
description: "Counts words: use it for reports."
---

# Report
`

const COUNT = `import argparse
import json
from pathlib import Path

parser = argparse.ArgumentParser(description="Counts words")
parser.add_argument("input_file", help="The text")
parser.add_argument("--unit", choices=["words", "letters"], default="words")
parser.add_argument("--others", nargs="*", default=[])
args = parser.parse_args()
texts = [Path(each).read_text() for each in [args.input_file, *args.others]]
print(json.dumps({"words": sum(len(each.split()) for each in texts), "unit": args.unit}))
`

const LIST = '#!/bin/bash\nname="$1"\necho "hello $name"\n'

function createProject(tree: Tree = {}): string {
  return createFolder({
    'skills/report/SKILL.md': SKILL_MD,
    'skills/report/scripts/count.py': COUNT,
    'skills/report/scripts/greet.sh': LIST,
    'text.txt': 'one two three',
    ...tree,
  })
}

async function run(cwd: string, ...argv: string[]) {
  const ran = await runSkills([...argv, '--json'], { cwd })
  return { ...ran, document: ran.stdout === '' ? {} : ran.json() }
}

it('a plain Agent Skill runs by its name and its folder, and nothing is written into it', async () => {
  const cwd = createProject()
  const args = ['--arg', 'command=count', '--blob', 'input_file=text.txt', '--arg', 'unit=letters']
  for (const reference of ['report', './skills/report']) {
    const { document } = await run(cwd, 'exec', reference, ...args)
    expect(document).toMatchObject({ output: { output: { words: 3, unit: 'letters' } } })
  }
  expect(readdirSync(join(cwd, 'skills/report')).toSorted()).toEqual(['SKILL.md', 'scripts'])
})

it('it has the inputs, commands and rights that it has after skills adopt', async () => {
  const cwd = createProject({
    'skills/report/scripts/send.py':
      'import os, urllib.request\nurllib.request.urlopen("https://reports.acme.dev/v1")\nprint(os.environ["REPORT_API_KEY"])\n',
  })
  const describe = async () => {
    const { document } = await run(cwd, 'describe', './skills/report')
    const { kind, inputs, permissions, name } = document['skill'] as Record<string, unknown>
    return { kind, inputs, permissions, name }
  }
  const plain = await describe()
  expect(plain).toMatchObject({
    kind: 'action',
    inputs: { command: { enum: ['count', 'greet', 'send'] } },
    permissions: { network: ['https://reports.acme.dev'], secrets: ['REPORT_API_KEY'] },
  })
  await runSkills(['adopt', 'skills/report', '--yes'], { cwd })
  expect(await describe()).toEqual(plain)
})

const SEND = `#!/usr/bin/env npx tsx
import { parseArgs } from 'node:util'
import { Tone } from './tones'
const { values } = parseArgs({ options: { name: { type: 'string' } } })
console.log(JSON.stringify({ name: values.name as string, tone: Tone.Warm }))
`

it('its scripts in TypeScript start, before and after skills adopt', async () => {
  const cwd = createProject({
    'skills/report/scripts/send.ts': SEND,
    'skills/report/scripts/tones.ts': "export enum Tone {\n  Warm = 'warm',\n}\n",
  })
  const send = async () =>
    await run(cwd, 'exec', 'report', '--arg', 'command=send', '--arg', 'name=Ada')
  const expected = { output: { output: { name: 'Ada', tone: 'warm' } } }
  expect((await send()).document).toMatchObject(expected)
  const adopted = await runSkills(['adopt', 'skills/report', '--yes'], { cwd })
  expect(adopted.stdout + adopted.stderr).not.toContain('Lint error')
  expect((await send()).document).toMatchObject(expected)
})

it('a changed script has its new inputs at once', async () => {
  const cwd = createProject()
  const env = { HOME: createFolder() }
  const ask = async (name: string) =>
    await runSkills(
      ['exec', 'report', '--arg', 'command=greet', '--arg', `${name}=Ada`, '--json'],
      {
        cwd,
        env,
      },
    )
  expect((await ask('name')).stdout).toContain('hello Ada')
  writeTree(cwd, { 'skills/report/scripts/greet.sh': LIST.replaceAll('name', 'person') })
  expect((await ask('person')).stdout).toContain('hello Ada')
  expect((await ask('name')).code).not.toBe(0)
})

it('skills test and repl take a plain skill', async () => {
  const cwd = createProject({
    'skills/report/tests/greet.test.toml': `[[cases]]
name = "greets"
args = { command = "greet", name = "Ada" }
expect = [{ result = { path = "summary", equals = "hello Ada" } }]
`,
  })
  const tested = await runSkills(['test', 'skills/report'], { cwd })
  expect(tested).toMatchObject({ code: 0, stdout: expect.stringContaining('1 passed') })
  const stdin = 'print(main({"command": "greet", "name": "Eve"})["summary"])\n'
  expect((await runSkills(['repl', 'report'], { cwd, stdin })).stdout).toContain('hello Eve')
})

it('lists show it as an action with the inputs of its commands', async () => {
  const cwd = createProject({ 'skills/notes/SKILL.md': SKILL_MD.replace('report', 'notes') })
  const { document } = await run(cwd, 'list', '--namespace', 'report')
  expect(document['skills']).toMatchObject([
    { name: 'report', kind: 'action', inputs: expect.arrayContaining(['command', 'input_file']) },
  ])
  const actions = await run(cwd, 'list', '--kind', 'action')
  expect(actions.document['skills']).toMatchObject([{ name: 'report' }])
})

it('a server lists, describes and runs a plain skill, also for clients of MCP', async () => {
  const { url } = await startServe([], { cwd: createProject() })
  const args = { command: 'greet', name: 'Ada' }
  const { result } = createCallers(url)
  expect(await result('list_skills', { namespace: 'report' })).toMatchObject({
    skills: [{ name: 'report', kind: 'action' }],
  })
  expect(await result('describe_skill', { name: 'report' })).toMatchObject({
    skill: { manifest: { kind: 'action', inputs: { command: { enum: ['count', 'greet'] } } } },
  })
  expect(await result('execute_skill', { name: 'report', args })).toMatchObject({
    output: { summary: 'hello Ada' },
  })
  const called = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'execute_skill', arguments: { name: 'report', args } },
    }),
  })
  expect(await called.text()).toContain('hello Ada')
})

it('a missing input and a missing package are one sentence', async () => {
  const cwd = createProject({ 'skills/report/scripts/far.py': 'import far_away\nprint(1)\n' })
  const missing = await runSkills(['exec', 'report', '--arg', 'command=count'], { cwd })
  expect(missing.stderr.trim()).toBe(
    'failed: ValueError: The command count needs the input input_file: pass --blob input_file=<file>',
  )
  const other = await runSkills(['exec', 'report', '--arg', 'command=far'], { cwd })
  expect(other.stderr).toMatch(/^failed: ModuleNotFoundError: No module named 'far_away'\n {2}→ /)
  expect(other.stderr.trim().split('\n')).toHaveLength(2)
})

it('files of a list are passed as paths, one option for each', async () => {
  const cwd = createProject({ 'more.txt': 'four five' })
  const blobs = ['input_file=text.txt', 'others=more.txt', 'others=text.txt']
  const options = blobs.flatMap((each) => ['--blob', each])
  const { document } = await run(cwd, 'exec', 'report', '--arg', 'command=count', ...options)
  expect(document).toMatchObject({ output: { output: { words: 8 } } })
})

it('a link in the place of the folder "code" leads no file of a run outside', async () => {
  const cwd = createProject({ 'outside/keep.txt': 'mine' })
  symlinkSync('../../outside', join(cwd, 'skills/report/code'))
  const refused = await runSkills(['exec', 'report', '--arg', 'command=greet'], { cwd })
  expect(refused).toMatchObject({ stderr: expect.stringContaining('"code" is not a folder') })
  expect(existsSync(join(cwd, 'outside/adopted.py'))).toBe(false)
})

it('a skill without scripts is read, and the hint says how', async () => {
  const cwd = createFolder({ 'skills/notes/SKILL.md': SKILL_MD.replace('report', 'notes') })
  const refused = await runSkills(['exec', 'notes'], { cwd })
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toContain('Type "skills read notes SKILL.md" to read it')
})
