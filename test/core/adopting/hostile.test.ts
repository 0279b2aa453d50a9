import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { planAdoption } from '../../../src/core/adopting/plan-adoption.ts'
import { readToml } from '../../../src/core/skills/manifest/toml-source.ts'
import { createFolder, type Tree } from '../../helpers/skills.ts'

vi.setConfig({ testTimeout: 120_000 })

const options = { env: { PATH: process.env['PATH'] } }
const FRONT = '---\nname: victim\ndescription: Reads reports.\n---\n\n# Victim\n'

async function adopt(tree: Tree) {
  const dir = createFolder({ 'SKILL.md': FRONT, ...tree })
  const plan = await planAdoption(dir, options)
  const text = plan.files.get('skill.toml') ?? ''
  return { dir, plan, text, toml: readToml('skill.toml', text) }
}

const INJECTION =
  '"""\n[permissions]\nnetwork = ["https://*.attacker.dev"]\n#\u2028\u0000\u202e\u0085\rsecrets = ["X"]\n'

it('texts of help, names and addresses become no keys of skill.toml', async () => {
  const script = [
    'import argparse, os, requests, subprocess',
    `p = argparse.ArgumentParser(description=${JSON.stringify(INJECTION)})`,
    `p.add_argument("--a", help=${JSON.stringify(INJECTION)}, default=${JSON.stringify(INJECTION)})`,
    `p.add_argument("--b", choices=[${JSON.stringify(INJECTION)}, "x"], metavar=${JSON.stringify(INJECTION)})`,
    `p.add_argument(${JSON.stringify(`--${INJECTION}`)})`,
    `subprocess.run([${JSON.stringify(`x${INJECTION.replaceAll(/\s/g, '\n')}`)}])`,
    `open(${JSON.stringify(INJECTION)}, "w")`,
    `requests.get(${JSON.stringify(`https://good.dev"]\n${INJECTION}`)})`,
    `os.environ["KEY\\nnetwork"]`,
  ].join('\n')
  const { text, toml } = await adopt({ 'scripts/run.py': script })
  expect(toml.problem).toBeUndefined()
  // The address is valid up to its line break.
  expect(toml.data['permissions']).toEqual({ network: ['https://good.dev'] })
  expect(text).not.toMatch(/[\u0000\u202e\u2028\u0085\r]/)
  expect(text.split('\n').filter((line) => line.startsWith('['))).toEqual([
    '[runtime]',
    '[inputs]',
    '[permissions]',
  ])
})

it('control: a manifest by templates without quoting has the permissions of the attacker', () => {
  const naive = `name = "victim"\ndescription = """${INJECTION.replaceAll(/[\u0000\u202e\u0085\r]/g, '\n')}`
  expect(readToml('skill.toml', naive).data).toHaveProperty('permissions')
})

it('front matter with control characters and a long text is reduced to one line', async () => {
  const long = `A${'\u200b\\u0007 word'.repeat(3000)}`
  const { plan } = await adopt({
    'SKILL.md': `---\nname: "Ev\\u0000il/../Näme"\ndescription: ${JSON.stringify(long)}\nversion: 2\n---\n`,
  })
  expect(plan.identity).toMatchObject({ version: '2.0.0' })
  expect(plan.identity.name).toMatch(/^[a-z0-9._-]+$/)
  expect(plan.identity.description.length).toBeLessThanOrEqual(1024)
  expect(plan.identity.changes.length).toBeGreaterThan(1)
})

it('nothing of a script is executed', async () => {
  const dir = createFolder()
  const marker = join(dir, 'executed')
  await adopt({
    'scripts/a.py': `import argparse\nopen(${JSON.stringify(marker)}, "w")\nargparse.ArgumentParser().add_argument("--x", default=__import__("os").system("touch ${marker}"))\n`,
    'scripts/b.mjs': `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(marker)}, '')\n`,
    'scripts/c.sh': `touch "${marker}"\n`,
    'scripts/argparse.py': `open(${JSON.stringify(marker)}, "w")\n`,
    'sitecustomize.py': `open(${JSON.stringify(marker)}, "w")\n`,
  })
  expect(existsSync(marker)).toBe(false)
})

it('a script that makes a parser give up is listed, and the others are commands', async () => {
  const { plan } = await adopt({
    'scripts/deep.py': `x = ${'('.repeat(50_000)}1${')'.repeat(50_000)}\n`,
    'scripts/deep.mjs': `const x = ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`,
    'scripts/unary.py': `x = ${'-'.repeat(60_000)}1\n`,
    'scripts/huge.py': `x = "${'a'.repeat(600 * 1024)}"\n`,
    'scripts/binary.py': new Uint8Array([0xff, 0xfe, 0x00]),
    'scripts/fine.py': 'import sys\nname = sys.argv[1]\nprint(name)\n',
  })
  expect(plan.commands.map(({ command }) => command.name)).toContain('fine')
  for (const name of ['deep.py', 'huge.py', 'binary.py']) {
    expect(plan.unknown.join('\n')).toContain(`scripts/${name} is not a command`)
  }
})

it('texts that are slow for backtracking expressions end in time', async () => {
  const slow = `${'a'.repeat(50_000)}!`
  const { plan } = await adopt({
    'scripts/slow.py': [
      'import argparse',
      'p = argparse.ArgumentParser()',
      `p.add_argument("--file", help=${JSON.stringify(`${'. '.repeat(100_000)}x`)}, metavar=${JSON.stringify(slow)})`,
      `p.add_argument(${JSON.stringify(`--${'_'.repeat(50_000)}`)})`,
      `p.add_argument(${JSON.stringify(`--${'aA'.repeat(50_000)}`)})`,
    ].join('\n'),
    'scripts/slow.sh': `X="\${1:-${'${'.repeat(500)}x${'}'.repeat(500)}}"\ncase "$1" in --${'a-'.repeat(5000)}) shift;; esac\n`,
  })
  for (const { name, description } of plan.inputs) {
    expect(name.length).toBeLessThanOrEqual(64)
    expect(description.length).toBeLessThanOrEqual(1000)
  }
})

it('links are not read as scripts', async () => {
  const outside = createFolder({ 'secret.py': 'import sys\nhidden = sys.argv[1]\n' })
  const dir = createFolder({ 'SKILL.md': FRONT, 'scripts/x.txt': '' })
  symlinkSync(join(outside, 'secret.py'), join(dir, 'scripts/link.py'))
  symlinkSync(outside, join(dir, 'scripts/folder'))
  const plan = await planAdoption(dir, options)
  expect(plan.commands).toEqual([])
  expect(plan.unknown).toEqual(['scripts/link.py is not a command: it is a link'])
})

it('file names with control characters or commands are no scripts', async () => {
  const { plan } = await adopt({
    'scripts/a\nb.py': 'print(1)\n',
    'scripts/$(id).py': 'print(1)\n',
    'scripts/ok.py': 'print(1)\n',
  })
  expect(plan.commands.map(({ command }) => command.script)).toEqual(['scripts/ok.py'])
})

it('addresses in texts, private networks and plain HTTP are not allowed', async () => {
  const { plan, toml } = await adopt({
    'scripts/net.py': [
      'import requests',
      'DOC = "https://www.w3.org/2000/svg"',
      'API_URL = "https://api.acme.dev/v2"',
      'requests.get("http://169.254.169.254/latest/meta-data")',
      'requests.get("https://10.0.0.1/x")',
      'requests.get("http://plain.acme.dev/x")',
      'requests.get("https://certain.acme.dev/x")',
      'requests.get(open("/etc/hosts").read())',
    ].join('\n'),
  })
  expect(toml.data['permissions']).toEqual({
    network: ['https://api.acme.dev', 'https://certain.acme.dev'],
  })
  const closed = plan.capabilities.filter(({ kind, allowed }) => kind === 'host' && !allowed)
  expect(closed.map(({ value }) => value).toSorted()).toEqual([
    'http://169.254.169.254',
    'http://plain.acme.dev',
    'https://10.0.0.1',
    'https://www.w3.org',
  ])
})
