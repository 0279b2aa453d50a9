// @module-tag slow
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { PROGRAM } from '../../helpers/built.ts'
import { createFolder, runSkills } from '../../helpers/skills.ts'

function createProject(): string {
  return createFolder({
    ...prefixPaths('skills/greet', createActionSkill('demo.greet')),
    'skills/greet/tests/a.test.toml':
      '[[cases]]\nname = "a"\nexpect = [{ status = "completed" }]\n',
    'skills/greet/resources/.DS_Store': '',
  })
}

const ALL = ['--format', 'tar.gz,zip,skill,oci']

describe('skills pack', () => {
  it('writes archives, and prints files, digests and what was left out', async () => {
    const cwd = createProject()
    const argv = ['pack', 'skills/greet/', '-o', 'dist', ...ALL]
    const { code, stdout, stderr } = await runSkills(argv, { cwd })
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('Left out: 2 (') })
    const names = readdirSync(join(cwd, 'dist')).toSorted()
    expect(names).toHaveLength(4)
    for (const name of names) {
      const bytes = readFileSync(join(cwd, 'dist', name))
      expect(stdout).toContain(`${name}  `)
      expect(stdout).toContain(`sha256:${hash('sha256', bytes)}`)
      expect(statSync(join(cwd, 'dist', name)).mode & 0o777).toBe(0o644)
    }
    expect(stdout).toMatch(/644 +\d+ {2}SKILL\.md\n/)
  })

  it('--json has the same facts, and --dry-run writes nothing', async () => {
    const cwd = createProject()
    const argv = ['pack', 'demo.greet', '--dry-run', '--json', ...ALL]
    const { code, json } = await runSkills(argv, { cwd })
    expect(code).toBe(0)
    const document = json() as { packs: { tree: string; archives: { file: string }[] }[] }
    expect(document).toMatchObject({
      schema: 'skills.pack/v1',
      dry_run: true,
      packs: [
        {
          skill: 'demo.greet',
          left_out: [
            { path: 'resources/.DS_Store', reason: 'editor' },
            { path: 'tests/', reason: 'tests' },
          ],
          archives: [
            { format: 'tar.gz' },
            { format: 'zip' },
            { format: 'skill' },
            { format: 'oci' },
          ],
          exceeded_limits: [],
        },
      ],
    })
    expect(existsSync(join(cwd, 'dist'))).toBe(false)
    const packed = await runSkills(['info', '--digest', 'demo.greet', '--packed'], { cwd })
    expect(packed.stdout.trim()).toBe(document.packs[0]?.tree)
    const whole = await runSkills(['info', '--digest', 'demo.greet'], { cwd })
    expect(whole.stdout.trim()).not.toBe(document.packs[0]?.tree)
  })

  it('the digest of each archive is the one of the packed files', async () => {
    const cwd = createProject()
    await runSkills(['pack', 'demo.greet', '-o', 'dist', ...ALL], { cwd })
    const digests = new Set<string>()
    for (const name of readdirSync(join(cwd, 'dist'))) {
      digests.add((await runSkills(['info', '--digest', `dist/${name}`], { cwd })).stdout)
    }
    digests.add((await runSkills(['info', '--digest', 'demo.greet', '--packed'], { cwd })).stdout)
    expect([...digests]).toEqual([expect.stringMatching(/^sha256:[0-9a-f]{64}\n$/)])
  })

  it('a file with other content is kept, unless --force is set', async () => {
    const cwd = createProject()
    const argv = ['pack', 'demo.greet', '-o', 'dist']
    expect((await runSkills(argv, { cwd })).code).toBe(0)
    expect((await runSkills(argv, { cwd })).code).toBe(0)
    const [name = ''] = readdirSync(join(cwd, 'dist'))
    writeFileSync(join(cwd, 'dist', name), 'other')
    const refused = await runSkills(argv, { cwd })
    expect(refused.code).toBe(3)
    expect(refused.stderr).toContain('exists with other content')
    expect(readFileSync(join(cwd, 'dist', name), 'utf8')).toBe('other')
    expect((await runSkills([...argv, '--force'], { cwd })).code).toBe(0)
    expect(readdirSync(join(cwd, 'dist'))).toEqual([name])
    expect(statSync(join(cwd, 'dist', name)).size).toBeGreaterThan(100)
  })

  it('a skill with lint errors is refused, unless --skip-lint is set', async () => {
    const cwd = createProject()
    writeFileSync(join(cwd, 'skills/greet/code/main.py'), 'def main(:\n')
    const argv = ['pack', 'demo.greet', '-o', 'dist']
    const refused = await runSkills(argv, { cwd })
    expect(refused.code).toBe(3)
    expect(refused.stderr).toMatch(/lint error.*the first is entrypoint\//)
    expect(existsSync(join(cwd, 'dist'))).toBe(false)
    expect((await runSkills([...argv, '--skip-lint'], { cwd })).code).toBe(0)
  })

  it('a warning names the hosts that take less', async () => {
    const cwd = createProject()
    for (let at = 0; at < 520; at++) writeFileSync(join(cwd, `skills/greet/resources/${at}`), '')
    const argv = ['pack', 'demo.greet', '--dry-run']
    const refused = await runSkills(argv, { cwd })
    expect(refused.stderr).toContain('expected at most 512')
    const { code, stderr } = await runSkills([...argv, '--max-files', '1000'], { cwd })
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/clients of MCP take at most 512/),
    })
  })

  it.each([
    [['pack', 'demo.greet', '-o', 'd', '--format', 'rar'], '"rar" is not a format'],
    [['pack', 'demo.greet', '-o', 'd', '--max-size', 'much'], 'Expected a size'],
    [['pack', 'demo.greet', '-o', 'd', '--max-files', '0'], 'Expected a number of files'],
    [['pack', 'demo.greet', '-o', 'skills/greet/dist'], 'is inside the skill'],
    [['pack', 'demo.other', '-o', 'd'], 'Unknown skill'],
    [['info', '--digest', './nowhere'], 'There is no folder'],
    [['info', '--digest', './skills/greet/SKILL.zip'], 'There is no archive'],
  ])('%j is refused', async (argv, message) => {
    const { code, stderr } = await runSkills(argv, { cwd: createProject() })
    expect(code).toBeGreaterThan(1)
    expect(stderr).toContain(message)
  })

  it('an archive that is not safe has no digest', async () => {
    const cwd = createFolder({ 'a.zip': 'PK, but nothing else' })
    const { code, stderr } = await runSkills(['info', '--digest', 'a.zip'], { cwd })
    expect(code).toBe(3)
    expect(stderr).toContain('The archive is refused: its end is cut')
  })
})

/** Circumstances that must not change a byte. */
const CIRCUMSTANCES: Record<string, { env?: Record<string, string>; umask?: string }> = {
  'umask 077': { umask: '077' },
  'umask 000': { umask: '000' },
  'another time zone': { env: { TZ: 'Pacific/Kiritimati' } },
  'another locale': { env: { LC_ALL: 'tr_TR.UTF-8', LANG: 'C' } },
}

describe('the bytes of archives', () => {
  let expected: string | undefined
  const pack = (cwd: string, { env = {}, umask = '022' }, prefix: readonly string[] = []) => {
    const out = createFolder()
    chmodSync(out, 0o777)
    const line = `umask ${umask}; exec "$@"`
    const argv = [
      ...prefix,
      ...PROGRAM,
      'pack',
      join(cwd, 'skills/greet'),
      '-o',
      join(out, 'd'),
      '--skip-lint',
      ...ALL,
    ]
    const { status, stderr } = spawnSync('sh', ['-c', line, 'sh', ...argv], {
      cwd: prefix.length > 0 ? '/' : cwd,
      env: { PATH: process.env['PATH'] ?? '', HOME: out, ...env },
      encoding: 'utf8',
    })
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
    return execFileSync('sha256sum', readdirSync(join(out, 'd')), {
      cwd: join(out, 'd'),
      encoding: 'utf8',
    })
  }

  it.each(Object.entries(CIRCUMSTANCES))(
    'are the same with %s',
    { timeout: 60_000 },
    (_name, at) => {
      const cwd = createProject()
      expect(pack(cwd, at)).toBe((expected ??= pack(createProject(), {})))
    },
  )

  it.runIf(process.getuid?.() === 0)(
    'are the same for another user (needs root)',
    { timeout: 60_000, tags: ['readable-clone'] },
    () => {
      const cwd = createProject()
      chmodSync(cwd, 0o755)
      const asUser = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']
      expect(pack(cwd, {}, asUser)).toBe((expected ??= pack(createProject(), {})))
    },
  )
})
