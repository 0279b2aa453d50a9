// @module-tag slow
import { existsSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { createFolder, runSkills, type Tree } from '../../helpers/skills.ts'

vi.setConfig({ testTimeout: 120_000 })

const SKILL_MD = `---
name: Report Tools
description: "Counts words: use it for reports."
---

# Report tools

Run scripts/count.py with a text.
`

const COUNT = `import argparse
import json
import os
import urllib.request

API = "https://api.example.net/v1"


def main():
    parser = argparse.ArgumentParser(description="Counts words")
    parser.add_argument("text", help="The text")
    parser.add_argument("--unit", choices=["words", "letters"], default="words", help="What is counted")
    parser.add_argument("-n", "--times", type=int, default=1)
    parser.add_argument("--shout", action="store_true", help="Capitals")
    parser.add_argument("--tag", action="append")
    args = parser.parse_args()
    if os.environ.get("REPORT_API_KEY"):
        urllib.request.urlopen("https://reports.acme.dev/v1/count")
    with open("report.txt", "w") as file:
        file.write(args.text)
    text = args.text.upper() if args.shout else args.text
    print(json.dumps({"text": text, "unit": args.unit, "times": args.times, "tags": args.tag}))


if __name__ == "__main__":
    main()
`

function createSkill(tree: Tree = {}): string {
  return createFolder({ 'report/SKILL.md': SKILL_MD, 'report/scripts/count.py': COUNT, ...tree })
}

it('an adopted script has the inputs of its parser, runs, and returns its output and files', async () => {
  const cwd = createSkill()
  const adopted = await runSkills(['adopt', 'report', '--yes', '--json'], { cwd })
  expect(adopted).toMatchObject({ code: 0 })
  expect(adopted.json()).toMatchObject({
    name: 'report-tools',
    kind: 'action',
    lint_errors: [],
    commands: [
      {
        name: 'count',
        script: 'scripts/count.py',
        inputs: ['text', 'unit', 'times', 'shout', 'tag'],
      },
    ],
    capabilities: expect.arrayContaining([
      expect.objectContaining({
        kind: 'host',
        value: 'https://reports.acme.dev',
        allowed: true,
        place: 'scripts/count.py:18',
      }),
      expect.objectContaining({
        kind: 'secret',
        value: 'REPORT_API_KEY',
        allowed: true,
        certainty: 'likely',
      }),
      expect.objectContaining({ kind: 'file', value: 'report.txt', allowed: false }),
    ]),
  })
  expect(readFileSync(join(cwd, 'report/SKILL.md'), 'utf8')).toBe(SKILL_MD)
  const described = await runSkills(['describe', './report', '--json'], { cwd })
  expect(described.json()).toMatchObject({
    skill: {
      inputs: {
        text: { type: 'string', required: true },
        unit: { enum: ['words', 'letters'], default: 'words' },
        times: { type: 'integer', default: 1 },
        shout: { type: 'boolean' },
        tag: { type: 'array' },
      },
    },
  })
  const args = JSON.stringify({ text: '--shout it', shout: true, tag: ['-x', 'b'] })
  const ran = await runSkills(['exec', './report', '--args', args, '--json'], { cwd })
  expect(ran.json()).toMatchObject({
    output: {
      output: { text: '--SHOUT IT', unit: 'words', times: 1, tags: ['-x', 'b'] },
      files: { 'report.txt': expect.stringMatching(/^blob:/) },
    },
  })
})

it('several scripts become the values of an input', async () => {
  const cwd = createSkill({
    'report/scripts/list.sh': '#!/bin/bash\nwhile getopts "d:v" o; do echo "$o=$OPTARG"; done\n',
    'report/scripts/show.mjs':
      "import { parseArgs } from 'node:util'\nconst { values } = parseArgs({ options: { name: { type: 'string' }, loud: { type: 'boolean' } } })\nconsole.log(JSON.stringify(values))\n",
  })
  await runSkills(['adopt', 'report', '--yes'], { cwd })
  const run = async (args: object) => {
    const ran = await runSkills(['exec', './report', '--args', JSON.stringify(args), '--json'], {
      cwd,
    })
    return ran.json()
  }
  expect(await run({ command: 'list', d: 'a b', v: true })).toMatchObject({
    output: { output: 'd=a b\nv=\n' },
  })
  expect(await run({ command: 'show', name: '-y', loud: true })).toMatchObject({
    output: { output: { name: '-y', loud: true } },
  })
  // A short option has no form that keeps a value with a hyphen apart.
  expect(JSON.stringify(await run({ command: 'list', d: '-v' }))).toContain('begins with a hyphen')
  expect(JSON.stringify(await run({ command: 'list', name: 'x' }))).toContain('has no input name')
})

it('without a consent, nothing is written and the status is 4', async () => {
  const cwd = createSkill()
  const refused = await runSkills(['adopt', 'report'], { cwd })
  expect(refused.code).toBe(4)
  expect(refused.stderr).toContain('--yes')
  expect(existsSync(join(cwd, 'report/skill.toml'))).toBe(false)
})

it('an existing skill.toml is kept without --force', async () => {
  const cwd = createSkill({ 'report/skill.toml': 'name = "mine"\n' })
  const refused = await runSkills(['adopt', 'report', '--yes'], { cwd })
  expect(refused).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('already has a skill.toml'),
  })
  expect(readFileSync(join(cwd, 'report/skill.toml'), 'utf8')).toBe('name = "mine"\n')
  expect(await runSkills(['adopt', 'report', '--yes', '--force'], { cwd })).toMatchObject({
    code: 0,
  })
})

it('--dry-run prints the manifest and writes nothing; --out writes a copy', async () => {
  const cwd = createSkill()
  const shown = await runSkills(['adopt', 'report', '--dry-run'], { cwd })
  expect(shown.stdout).toContain('[inputs]')
  expect(existsSync(join(cwd, 'report/skill.toml'))).toBe(false)
  expect(await runSkills(['adopt', 'report', '--out', 'copies', '--yes'], { cwd })).toMatchObject({
    code: 0,
  })
  expect(existsSync(join(cwd, 'report/skill.toml'))).toBe(false)
  expect(statSync(join(cwd, 'copies/report-tools/code/adopted.py')).isFile()).toBe(true)
})

it('a link of the skill does not lead a write to another folder', async () => {
  const cwd = createSkill({ 'outside/keep.txt': 'mine' })
  symlinkSync('../outside', join(cwd, 'report/code'))
  const refused = await runSkills(['adopt', 'report', '--yes'], { cwd })
  expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('is not a folder') })
  expect(existsSync(join(cwd, 'outside/adopted.py'))).toBe(false)
  expect(existsSync(join(cwd, 'report/skill.toml'))).toBe(false)
})

it('packages that scripts import are named, with the command that pins them', async () => {
  const cwd = createSkill({
    'report/scripts/fetch.py':
      'import json, requests, helper\nfrom yaml import load\nprint(requests, load, json, helper)\n',
    'report/scripts/helper.py': '',
    'report/scripts/show.js': "import 'node:fs'\nimport pad from 'left-pad'\nconsole.log(pad)\n",
  })
  const { stderr, stdout } = await runSkills(['adopt', 'report', '--dry-run'], { cwd })
  for (const [name, place] of [
    ['requests', 'scripts/fetch.py:1'],
    ['pyyaml', 'scripts/fetch.py:2'],
    ['left-pad', 'scripts/show.js:2'],
  ]) {
    expect(stderr).toContain(`needs the package ${name} (${place}), pin it with skills deps add`)
    expect(stdout).toContain(`# Needs ${name} (`)
  }
  expect(stderr.match(/needs the package/g)).toHaveLength(3)
})

it('a secret that a script sends to its only host has that host', async () => {
  const script = COUNT.replace(
    'urllib.request.urlopen("https://reports.acme.dev/v1/count")',
    `key = os.environ["REPORT_API_KEY"]
        headers = {"X-Api-Key": key}
        urllib.request.urlopen(urllib.request.Request("https://reports.acme.dev/v1/count", headers=headers))`,
  )
  const cwd = createFolder({ 'report/SKILL.md': SKILL_MD, 'report/scripts/count.py': script })
  const ran = await runSkills(['adopt', 'report', '--yes'], { cwd })
  expect(ran).toMatchObject({ code: 0 })
  const toml = readFileSync(join(cwd, 'report/skill.toml'), 'utf8')
  expect(toml).toMatch(
    /\[permissions\.secrets\]\n# likely: .*\nREPORT_API_KEY = \{ hosts = \["https:\/\/reports\.acme\.dev"\], in = \["header:X-Api-Key"\] \}/,
  )
})

it('after an instruction skill, the hint is to read it', async () => {
  const cwd = createFolder({ 'notes/SKILL.md': SKILL_MD })
  const adopted = await runSkills(['adopt', 'notes', '--yes'], { cwd })
  expect(adopted.stderr).toContain('Type "skills read ./notes SKILL.md" to read it')
  expect(adopted.stderr).not.toContain('skills exec')
})
