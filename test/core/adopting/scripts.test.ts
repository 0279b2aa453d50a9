import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { planAdoption } from '../../../src/core/adopting/plan-adoption.ts'
import { createFolder, runSkills, type Tree } from '../../helpers/skills.ts'

vi.setConfig({ testTimeout: 120_000 })

const FRONT = '---\nname: tool\ndescription: Does things. Use it for things.\n---\n'
const options = { env: { PATH: process.env['PATH'] } }

async function list(tree: Tree, executable?: string) {
  const dir = createFolder({ 'SKILL.md': FRONT, ...tree })
  if (executable !== undefined) chmodSync(join(dir, executable), 0o755)
  const { commands, unknown } = await planAdoption(dir, options)
  return {
    commands: commands.map(({ command: { name, program } }) => `${name}: ${program}`),
    unknown,
  }
}

it('the shebang line chooses the program, before the file extension', async () => {
  const { commands, unknown } = await list(
    {
      'scripts/a.sh': '#!/usr/bin/env python3\nprint(1)\n',
      'scripts/b.py': '#!/bin/bash\necho 1\n',
      'scripts/c': '#!/usr/bin/env -S FOO=1 node\nconsole.log(1)\n',
      'scripts/d.sh': 'echo 1\n',
      'scripts/e.py': '#!/usr/bin/osascript\nbeep\n',
      tool: '#!/usr/bin/env -S uv run --script\nprint(1)\n',
    },
    'tool',
  )
  expect(commands).toEqual(['a: python3', 'b: bash', 'c: node', 'd: bash', 'tool: python3'])
  expect(unknown).toEqual(['scripts/e.py is not a command: it is a script of osascript'])
})

it('scripts outside of scripts/ count, if they have a shebang line or SKILL.md names them', async () => {
  const { commands } = await list({
    'SKILL.md': `${FRONT}\nRun \`python tools/named.py\` and \`python assets/shown.py\`.\n`,
    'bin/start.sh': '#!/bin/sh\necho 1\n',
    'tools/named.py': 'print(1)\n',
    'tools/other.py': 'print(1)\n',
    'assets/shown.py': 'print(1)\n',
    'assets/template.sh': '#!/bin/sh\necho 1\n',
    'node_modules/x/run.js': '#!/usr/bin/env node\nconsole.log(1)\n',
    'nested/SKILL.md': FRONT.replace('tool', 'nested'),
    'nested/scripts/inner.sh': '#!/bin/sh\necho 1\n',
  })
  expect(commands).toEqual(['shown: python3', 'start: bash', 'named: python3'])
})

it.each([
  [
    'several commands',
    { 'scripts/a.py': 'import sys\nname = sys.argv[1]\n', 'scripts/b.sh': 'ls\n' },
  ],
  ['a required input', { 'scripts/a.py': 'import sys\nname = sys.argv[1]\nprint(name)\n' }],
  ['an optional input', { 'scripts/a_b.sh': 'name="${1:-Ada}"\necho "$name"\n' }],
])('what adopt writes lints clean and passes its own test: %s', async (_name, scripts) => {
  const cwd = createFolder({
    'my-tool/SKILL.md': FRONT.replace('name: tool', 'name: my-tool'),
    ...Object.fromEntries(Object.entries(scripts).map(([path, text]) => [`my-tool/${path}`, text])),
  })
  expect(await runSkills(['adopt', 'my-tool', '--yes'], { cwd })).toMatchObject({ code: 0 })
  const { json } = await runSkills(['lint', 'my-tool', '--json'], { cwd })
  const { findings } = json() as { findings: { file: string; rule: string }[] }
  const written = findings.filter(({ file }) => /skill\.toml|adopted/.test(file))
  expect(written.map(({ rule }) => rule)).toEqual([])
  const tested = await runSkills(['test', 'my-tool'], { cwd })
  expect(tested).toMatchObject({ code: 0, stdout: expect.stringMatching(/\d passed/) })
})

it('a script imports modules of the folder of its skill, and a missing package of Node is named', async () => {
  const cwd = createFolder({
    'skills/tool/SKILL.md': FRONT,
    'skills/tool/core/words.py': 'HELLO = "hello from core"\n',
    'skills/tool/scripts/greet.py': 'from core.words import HELLO\nprint(HELLO)\n',
    'skills/tool/scripts/pad.mjs': "import pad from 'left-pad'\nconsole.log(pad)\n",
  })
  const run = async (name: string) =>
    await runSkills(['exec', 'tool', '--arg', `command=${name}`], { cwd })
  expect((await run('greet')).stdout).toContain('hello from core')
  expect((await run('pad')).stderr).toBe(
    'failed: RuntimeError: scripts/pad.mjs needs the package left-pad of Node, which is not installed\n',
  )
})
