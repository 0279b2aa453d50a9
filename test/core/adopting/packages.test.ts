import { expect, it, vi } from 'vitest'
import { planAdoption } from '../../../src/core/adopting/plan-adoption.ts'
import { createFolder, runSkills, type Tree } from '../../helpers/skills.ts'
import { createWheel } from '../skills/dependencies/wheels.ts'

vi.setConfig({ testTimeout: 120_000 })

const FRONT = '---\nname: tool\ndescription: Does things. Use it for things.\n---\n'
const options = { env: { PATH: process.env['PATH'] } }

async function plan(tree: Tree) {
  const found = await planAdoption(createFolder({ 'SKILL.md': FRONT, ...tree }), options)
  const packages = found.capabilities.filter(({ kind }) => kind === 'package')
  return { ...found, packages: packages.map(({ value, place }) => `${value} (${place})`) }
}

it('packages are read from PEP 723 blocks, requirements.txt, package.json and imports', async () => {
  const { packages, files } = await plan({
    'scripts/fetch.py': `#!/usr/bin/env -S uv run --script
# /// script
# requires-python = ">=3.9"
# dependencies = [
#   "httpx[http2]>=0.27",
#   "private @ https://files.example/private.whl",
# ]
# ///
import httpx, yaml, bs4, requests
print(httpx, yaml, bs4, requests)
`,
    'requirements.txt':
      '# pinned\nPyYAML==6.0\n--index-url https://index.example\nrequests >= 2, < 3  # http\n',
    'package.json': '{"dependencies": {"left-pad": "^1.3.0", "local": "file:../x"}}',
    'scripts/pad.js': "import pad from 'left-pad'\nimport { z } from 'zod'\nconsole.log(pad, z)\n",
  })
  expect(packages).toEqual([
    'PyYAML==6.0 (requirements.txt:2)',
    'beautifulsoup4 (scripts/fetch.py:9)',
    'httpx>=0.27 (scripts/fetch.py)',
    'left-pad@^1.3.0 (package.json)',
    'requests>=2,<3 (requirements.txt:4)',
    'zod (scripts/pad.js:2)',
  ])
  expect(files.get('requirements.in')).toBe(
    'PyYAML==6.0\nbeautifulsoup4\nhttpx>=0.27\nrequests>=2,<3\n',
  )
})

it('a complete lock file is declared, and one with open versions is not', async () => {
  const code = { 'scripts/a.py': 'import far\nprint(far)\n' }
  const pinned = `far==1.0 --hash=sha256:${'a'.repeat(64)}\n`
  const read = async (tree: Tree) => (await plan({ ...code, ...tree })).files.get('skill.toml')
  expect(await read({ 'requirements.txt': pinned })).toContain('python = "requirements.txt"')
  expect(await read({ 'requirements.txt': 'far==1.0\n' })).not.toContain('[dependencies]')
  expect(await read({ 'requirements.lock': pinned })).toContain('python = "requirements.lock"')
  expect(await read({ 'package-lock.json': '{"lockfileVersion": 3}' })).not.toContain(
    '[dependencies]',
  )
})

// The new machine has no pip.
it(
  'the packages of a plain skill are locked and installed, and its script imports them',
  { tags: ['slow'] },
  async () => {
    const wheels = createFolder()
    createWheel(wheels, {
      name: 'greetings',
      files: { 'greetings/__init__.py': 'def hello():\n    return "from the wheel"\n' },
    })
    const cwd = createFolder({
      'skills/tool/SKILL.md': FRONT,
      'skills/tool/scripts/hello.py':
        'import argparse, greetings\nargparse.ArgumentParser().parse_args()\nprint(greetings.hello())\n',
    })
    const env = { HOME: createFolder() }
    const run = async (...argv: string[]) => await runSkills(argv, { cwd, env })
    const before = await run('exec', 'tool')
    expect(before.stderr).toContain('"skills deps add <skill> greetings"')
    expect(await run('deps', 'lock', 'tool', '--from', wheels)).toMatchObject({ code: 0 })
    expect((await run('exec', 'tool')).stderr).toContain('Type "skills deps tool" to install them')
    expect(await run('deps', 'tool', '--from', wheels)).toMatchObject({ code: 0 })
    expect((await run('exec', 'tool')).stdout).toContain('from the wheel')
  },
)
