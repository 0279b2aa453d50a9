// @module-tag slow
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createGitRepository, runGit } from '../../helpers/git-repository.ts'
import { prefixPaths } from '../../helpers/projects.ts'
import { createFolder, runSkills, writeTree } from '../../helpers/skills.ts'

const TEMPLATE = {
  'skill.toml': [
    '#:schema {{schema}}',
    'name = {{"name"}}',
    'version = "0.1.0"',
    'description = {{"description"}}',
    'kind = "action"',
    'namespace = "{{namespace}}"',
    '[runtime]\nlanguage = "python"\nentrypoint = "code/main.py"',
    '[inputs]\nname = { type = "string", description = "Name", required = true }\n',
  ].join('\n'),
  'SKILL.md':
    '---\nname: {{folder}}\ndescription: {{"description"}}\n---\n\n# {{title}}\n\n{{description}} Takes a `name`.\n\n## Example\n\n```sh\nskills exec {{name}} --arg name=Ada\n```\n',
  'code/main.py': 'def main(args):\n    return {"summary": "Bye, " + args["name"]}\n',
  'resources/example.json': '{ "name": "Ada" }\n',
  'tests/bye.test.toml':
    '[[cases]]\nname = "bye"\nargs = { name = "Ada" }\nexpect = [{ status = "completed" }]\n',
  'resources/mustache.txt': 'Dear \\{{reader}}\n',
}
const CREATE = ['new', 'acme.bye', '--description', 'Says "bye" to people. Use it at the end.']

async function expectSkill(cwd: string, template: string): Promise<void> {
  const created = await runSkills([...CREATE, '--template', template], { cwd })
  expect(created).toMatchObject({ code: 0, stderr: '' })
  expect(created.stdout).toContain('skills exec acme.bye --args @skills/bye/resources/example.json')
  expect(readFileSync(join(cwd, 'skills/bye/resources/mustache.txt'), 'utf8')).toBe(
    'Dear {{reader}}\n',
  )
  const { json } = await runSkills(['lint', '--json'], { cwd })
  expect(json()).toMatchObject({ findings: [], summary: { skills: 1 } })
}

async function expectRefusal(template: string, message: string): Promise<void> {
  const cwd = createFolder()
  const { code, stderr } = await runSkills([...CREATE, '--template', template], { cwd })
  expect(stderr).toContain(message)
  expect(code).toBeGreaterThan(1)
  expect(existsSync(join(cwd, 'skills'))).toBe(false)
}

describe('a template from a folder', () => {
  it('becomes a skill that lints clean and runs', async () => {
    const cwd = createFolder()
    writeTree(cwd, prefixPaths('mine', TEMPLATE))
    await expectSkill(cwd, './mine')
    const argv = ['exec', 'acme.bye', '--args', '@skills/bye/resources/example.json']
    expect((await runSkills(argv, { cwd })).json()).toEqual({ summary: 'Bye, Ada' })
  })

  it('keeps binary files and executable bits', async () => {
    const cwd = createFolder()
    const bytes = Buffer.from([0, 255, 123, 123, 120, 125, 125])
    const template = createFolder(TEMPLATE)
    writeFileSync(join(template, 'resources/image.bin'), bytes)
    writeTree(template, { 'scripts/run.sh': '#!/bin/sh\n' })
    chmodSync(join(template, 'scripts/run.sh'), 0o755)
    expect(await runSkills([...CREATE, '--template', template], { cwd })).toMatchObject({ code: 0 })
    expect(readFileSync(join(cwd, 'skills/bye/resources/image.bin'))).toEqual(bytes)
    expect(statSync(join(cwd, 'skills/bye/scripts/run.sh')).mode & 0o111).toBe(0o111)
    expect(statSync(join(cwd, 'skills/bye/SKILL.md')).mode & 0o111).toBe(0)
  })

  it('does not read what a link leads to', async () => {
    const outside = createFolder({ 'secret.txt': 'secret' })
    for (const target of [join(outside, 'secret.txt'), outside]) {
      const template = createFolder(TEMPLATE)
      symlinkSync(target, join(template, 'resources/link'))
      // The control: a reader that follows links would read it.
      expect(statSync(join(template, 'resources/link')).size).toBeGreaterThan(0)
      await expectRefusal(template, '"resources/link" is a symbolic link')
    }
  })

  it.each([
    ['an unknown placeholder', { 'code/x.py': '{{nmae}}' }, 'placeholder {{nmae}}'],
    [
      'a name of its own',
      { 'skill.toml': TEMPLATE['skill.toml'].replace('{{"name"}}', '"a.b"') },
      'sets the name "a.b", expected name = {{"name"}}',
    ],
    ['a large file', { 'resources/large.txt': 'x'.repeat(1024 ** 2 + 1) }, 'is larger than'],
    ['a backslash in a name', { 'resources/a\\b.txt': 'x' }, 'is not safe'],
    ['a manifest with a mistake', { 'skill.toml': 'name = ' }, 'skill.toml:'],
  ])('is refused with %s', async (_title, change, message) => {
    await expectRefusal(createFolder({ ...TEMPLATE, ...change }), message)
  })

  it('is refused if it is empty, absent or too large', async () => {
    await expectRefusal(createFolder(), 'it has no files')
    await expectRefusal('./absent', 'does not exist')
    await expectRefusal(createFolder({ 'notes.txt': '' }), 'neither a skill.toml nor a SKILL.md')
    const many = Object.fromEntries([...Array(501).keys()].map((at) => [`resources/${at}`, 'x']))
    await expectRefusal(createFolder({ ...TEMPLATE, ...many }), 'over 500 files')
    const large = 'x'.repeat(1024 ** 2)
    const total = Object.fromEntries([...Array(6).keys()].map((at) => [`resources/${at}`, large]))
    await expectRefusal(createFolder({ ...TEMPLATE, ...total }), 'bytes together')
  })

  it('needs a description if it has a placeholder for it', async () => {
    const template = createFolder(TEMPLATE)
    const { code, stderr } = await runSkills(['new', 'acme.bye', '-y', '--template', template])
    expect(code).toBe(2)
    expect(stderr).toContain('Missing --description')
  })

  it('does not take the options of built-in templates', async () => {
    const template = createFolder(TEMPLATE)
    const { code, stderr } = await runSkills([...CREATE, '--template', template, '--input', 'a'])
    expect(code).toBe(2)
    expect(stderr).toContain('--input applies to built-in templates')
  })
})

describe('a template from a git repository', () => {
  it('becomes a skill, from the default branch', async () => {
    await expectSkill(createFolder(), createGitRepository(TEMPLATE).url)
  })

  it.each([
    ['a branch', 'main'],
    ['a tag', 'v1'],
    ['a commit', 'commit'],
  ])('is taken from %s and a folder', async (_title, ref) => {
    const { work, url } = createGitRepository(prefixPaths('python/bye', TEMPLATE))
    runGit(work, 'tag', 'v1')
    const commit = runGit(work, 'rev-parse', 'HEAD')
    await expectSkill(createFolder(), `${url}#${ref === 'commit' ? commit : ref}:python/bye`)
  })

  it.each([
    ['reference', '#absent', 'cannot be fetched'],
    ['folder', '#main:absent', 'its folder "absent" does not exist'],
  ])(
    'is refused if the %s does not exist',
    { tags: ['slow'] },
    async (_title, fragment, message) => {
      await expectRefusal(createGitRepository(TEMPLATE).url + fragment, message)
    },
  )

  it('is refused if the repository does not exist', async () => {
    await expectRefusal(`git+file://${createFolder()}/absent.git`, 'cannot be fetched')
  })

  it('is refused with a link or a submodule', { tags: ['slow'] }, async () => {
    const { work, url, commit } = createGitRepository(TEMPLATE)
    symlinkSync('/etc/passwd', join(work, 'resources/link'))
    const id = commit({})
    await expectRefusal(url, '"resources/link" is a symbolic link')
    runGit(work, 'rm', '--quiet', 'resources/link')
    runGit(work, 'update-index', '--add', '--cacheinfo', `160000,${id},code/module`)
    runGit(work, 'commit', '--quiet', '--message=module')
    await expectRefusal(url, '"code/module" is a submodule')
  })

  it('cannot write outside of the skill with a path of its tree', { tags: ['slow'] }, async () => {
    const { work, url } = createGitRepository(TEMPLATE)
    const blob = runGit(work, 'hash-object', '-w', 'SKILL.md')
    const inner = makeTree(work, `100644 blob ${blob}\tevil.md\n`)
    const tree = makeTree(work, `${runGit(work, 'ls-tree', 'HEAD')}\n040000 tree ${inner}\t..\n`)
    const commit = runGit(work, 'commit-tree', '-m', 'evil', tree)
    // The control: the path is in the tree, and leads outside.
    expect(runGit(work, 'ls-tree', '-r', '--name-only', commit)).toContain('../evil.md')
    runGit(work, 'update-ref', 'refs/heads/main', commit)
    await expectRefusal(url, 'its path "../evil.md" is not safe')
  })

  it('runs no hook of the repository or of the user', async () => {
    const { url, work } = createGitRepository(TEMPLATE)
    const home = createFolder()
    const marker = join(home, 'hook-ran')
    const hook = `#!/bin/sh\ntouch '${marker}'\n`
    writeTree(home, {
      'hooks/reference-transaction': hook,
      'hooks/post-checkout': hook,
      'template/hooks/reference-transaction': hook,
      '.gitconfig': `[core]\n\thooksPath = ${home}/hooks\n[init]\n\ttemplateDir = ${home}/template\n`,
    })
    for (const path of [
      'hooks/reference-transaction',
      'hooks/post-checkout',
      'template/hooks/reference-transaction',
    ]) {
      chmodSync(join(home, path), 0o755)
    }
    const options = { cwd: createFolder(), env: { HOME: home } }
    expect(await runSkills([...CREATE, '--template', url], options)).toMatchObject({ code: 0 })
    expect(existsSync(marker)).toBe(false)
    // The control: the same hook runs for a plain git.
    spawnSync('git', ['clone', '--quiet', work, join(home, 'clone')], {
      env: { PATH: process.env['PATH'], HOME: home },
    })
    expect(existsSync(marker)).toBe(true)
  })
})

function makeTree(cwd: string, input: string): string {
  const done = spawnSync('git', ['mktree', '--missing'], { cwd, input, encoding: 'utf8' })
  if (done.status !== 0) throw new Error(done.stderr)
  return done.stdout.trim()
}
