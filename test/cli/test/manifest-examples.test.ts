// @module-tag slow
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { createFolder, runSkills, type Tree } from '../../helpers/skills.ts'

const INPUTS = `
[inputs]
name = { type = "string", required = true }
text = { type = "blob" }
`

const CODE = `
import os, socket
from runtime import blobs

def main(args):
    if "text" in args:
        return blobs.read_text(args["text"])
    if args["name"] == "network":
        socket.create_connection(("example.com", 443), 2)
    if args["name"] == "secret":
        return os.environ.get("DEMO_KEY", "no value")
    if args["name"] == "bad":
        raise ValueError("bad")
    return {"greeting": "Hello, " + args["name"]}
`

const PERMISSIONS = `
[permissions]
network = ["https://example.com"]
secrets = ["DEMO_KEY"]
`

function createSkill(examples: string, extra: Tree = {}, tables = ''): string {
  const { 'skill.toml': manifest = '' } = createActionSkill('demo.echo', { toml: INPUTS + tables })
  const own = { 'skill.toml': `${String(manifest)}\n${examples}`, 'code/main.py': CODE, ...extra }
  return createFolder(prefixPaths('skills/echo', own))
}

async function runDocs(
  cwd: string,
  env: Record<string, string> = {},
  more: readonly string[] = [],
) {
  const ran = await runSkills(['test', '--docs', '--json', ...more], { cwd, env })
  const { cases = [] } = (ran.stdout === '' ? {} : JSON.parse(ran.stdout)) as {
    cases?: { name: string; status: string }[]
  }
  return { ...ran, cases: cases.map(({ name, status }) => `${status} ${name}`) }
}

const example = (description: string, lines: string) =>
  `[[examples]]\ndescription = "${description}"\n${lines}\n`

describe('examples of skill.toml in skills test --docs', () => {
  it('run as cases, whose result or error is compared', async () => {
    const cwd = createSkill(
      [
        example('right', 'args = { name = "A" }\nresult = { greeting = "Hello, A" }'),
        example('wrong', 'args = { name = "A" }\nresult = { greeting = "Hello, B" }'),
        example('fails', 'args = { name = "bad" }\nerror = "ValueError"'),
        example('fails otherwise', 'args = { name = "bad" }\nerror = "TypeError"'),
        example('has no error', 'args = { name = "A" }\nerror = "ValueError"'),
        example('is refused', 'error = "ValidationError"'),
        example('reads a file', 'args = { name = "A", text = "data/a.txt" }\nresult = "content"'),
        '[[examples]]\nargs = { name = "A" }\n',
      ].join('\n'),
      { 'data/a.txt': 'content' },
    )
    const { cases, code } = await runDocs(cwd)
    expect(cases).toEqual([
      'passed example: right',
      'failed example: wrong',
      'passed example: fails',
      'failed example: fails otherwise',
      'failed example: has no error',
      'passed example: is refused',
      'passed example: reads a file',
      'passed example: number 8',
    ])
    expect(code).toBe(1)
  })

  it('count as a part of the interface', async () => {
    const cwd = createSkill(example('right', 'args = { name = "A" }'), {
      'tests/echo.test.toml':
        '[[cases]]\nname = "other"\nargs = { name = "B" }\nexpect = [{ status = "completed" }]\n',
    })
    const without = await runSkills(['test', '--coverage'], { cwd })
    expect(without.stderr).toContain('not used: example name="A"')
    const withDocs = await runSkills(['test', '--coverage', '--docs'], { cwd })
    expect(withDocs.stderr).not.toContain('not used: example')
  })

  it.each<[string, string, string]>([
    ['an unknown key', 'network = true', 'skill.toml:17:1: Unknown key "network" in an example'],
    ['two ends', 'result = 1\nerror = "E"', 'skill.toml:18:9: The example has both'],
    [
      'a missing file',
      'args = { name = "A", text = "a.txt" }',
      'skill.toml:17:29: The example passes',
    ],
  ])('run nothing with %s, and report its position', async (_, lines, message) => {
    const { code, stderr } = await runDocs(createSkill(example('one', lines)))
    expect(stderr).toContain(message)
    expect(code).toBe(2)
  })

  it('are refused if there are 10,000 of them', async () => {
    const { code, stderr } = await runDocs(createSkill('[[examples]]\n'.repeat(10_000)))
    expect(stderr).toContain('The manifest has 10000 examples, expected at most 50')
    expect(code).toBe(2)
  })

  it('cannot pass a file outside of the skill', async () => {
    const secret = createFolder({ id_rsa: 'private key' })
    const reads = (path: string) =>
      createSkill(
        example('reads', `args = { name = "A", text = "${path}" }\nresult = "private key"`),
        {
          'data/a.txt': 'private key',
        },
      )
    const linked = reads('data/link.txt')
    symlinkSync(join(secret, 'id_rsa'), join(linked, 'skills/echo/data/link.txt'))
    const folder = reads('data/folder/id_rsa')
    symlinkSync(secret, join(folder, 'skills/echo/data/folder'))
    const outside = ['../../id_rsa', join(secret, 'id_rsa'), 'data', 'data/../data/a.txt']
    for (const cwd of [linked, folder, ...outside.map(reads)]) {
      const { code, stderr, cases } = await runDocs(cwd)
      expect(stderr).toContain('which is not a file of the skill')
      expect({ code, cases }).toEqual({ code: 2, cases: [] })
    }
    // Control: the same example reads a file of the skill.
    expect(await runDocs(reads('data/a.txt'))).toMatchObject({ cases: ['passed example: reads'] })
  })

  it('get no network and no secrets of the operator', async () => {
    const cwd = createSkill(
      [
        example('network', 'args = { name = "network" }\nerror = "gaierror"'),
        example('secret', 'args = { name = "secret" }\nresult = "no value"'),
      ].join('\n'),
      {},
      PERMISSIONS,
    )
    const env = { DEMO_KEY: 'real-value-of-the-operator', SKILLS_SECRET_DEMO_KEY: 'real-value' }
    const { cases, stdout } = await runDocs(cwd, env)
    expect(cases).toEqual(['passed example: network', 'passed example: secret'])
    expect(stdout).not.toContain('real-value')
    // Control: skills exec passes the secret on.
    const argv = ['exec', 'demo.echo', '--arg', 'name=secret', '--secret', 'DEMO_KEY']
    const exec = await runSkills(argv, { cwd, env })
    expect(exec).toMatchObject({ code: 0, stdout: expect.stringContaining('[redacted]') as string })
  })
})

describe('a call in SKILL.md', () => {
  it('cannot pass a file outside of the skill as a blob', async () => {
    const secret = createFolder({ id_rsa: 'private key' })
    const document = (path: string) =>
      `---\nname: echo\ndescription: x\n---\n\`\`\`sh\nskills exec demo.echo --arg name=A --blob text=${path}\n\`\`\`\n`
    const cwd = createSkill('', { 'SKILL.md': document('data/link.txt'), 'data/a.txt': 'a' })
    symlinkSync(join(secret, 'id_rsa'), join(cwd, 'skills/echo/data/link.txt'))
    const { stderr, cases } = await runDocs(cwd)
    expect(stderr).toContain('Incomplete examples that did not run: 1')
    expect(cases).toEqual([])
    // Control: a file of the skill is passed.
    const own = createSkill('', { 'SKILL.md': document('data/a.txt'), 'data/a.txt': 'a' })
    expect((await runDocs(own)).cases).toEqual(['passed call (line 6)'])
  })
})
