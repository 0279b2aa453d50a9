// @module-tag slow
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { DIFFERENCE_TITLES } from '../../src/cli/diff/titles.ts'
import { DIFFERENCE_CODES } from '../../src/core/comparing/difference.ts'
import {
  createExampleToml,
  EXAMPLE_SKILL,
  EXAMPLE_TABLES,
  extendExampleBody,
} from '../../src/core/lint/example-skill.ts'
import { INHERITED_ENV } from '../helpers/inherited-env.ts'
import { createFolder, runSkills, type Tree } from '../helpers/skills.ts'

vi.setConfig({ testTimeout: 60_000 })

/** Two folders with the example skill. */
function createFolders(after: Tree, before: Tree = {}): string {
  const place = (folder: string, tree: Tree) =>
    Object.fromEntries(
      Object.entries({ ...EXAMPLE_SKILL, ...tree }).map(([path, text]) => [
        `${folder}/greet/${path}`,
        text,
      ]),
    )
  return createFolder({ ...place('old', before), ...place('new', after) })
}

async function diff(
  after: Tree,
  args: readonly string[] = [],
  at: { tty?: boolean; columns?: number; env?: Record<string, string> } = {},
) {
  const cwd = createFolders(after)
  return { cwd, ...(await runSkills(['diff', 'old/greet', 'new/greet', ...args], { cwd, ...at })) }
}

const HOST = {
  'skill.toml': createExampleToml(
    {},
    `${EXAMPLE_TABLES}\n[permissions]\nnetwork = ["https://api.example.com"]\n`,
  ),
}
const HOSTILE =
  'x\u001B]0;title\u0007 <img src=x> @everyone [a](http://evil.example/) | `b` ```c\u202E\u{E0041}'

describe('skills diff', () => {
  it.each<[string, Tree, number]>([
    ['equal skills', {}, 0],
    ['a changed file of data', { 'resources/a.csv': 'a' }, 0],
    ['changed instructions', { 'SKILL.md': extendExampleBody('More.\n') }, 10],
    ['a further host', HOST, 20],
    ['hidden text', { 'SKILL.md': extendExampleBody('Mo\u200Bre.\n') }, 30],
  ])('%s end with the exit status %#', async (_, after, status) => {
    const done = await diff(after)
    expect(done).toMatchObject({ code: status, stderr: '' })
  })

  it('prints the step of the version and the new right', async () => {
    const { stdout } = await diff(HOST)
    expect(stdout).toContain(
      'major   A host is added to permissions.network: https://api.example.com',
    )
    expect(stdout).toContain(
      'Suggested step of the version: major; 0.1.0 has not changed, expected at least 0.2.0',
    )
    expect(stdout).toContain('The skill may do more than before, so it needs a new consent')
  })

  it('a version that has moved is enough', async () => {
    const toml = createExampleToml(
      { version: '"0.2.0"' },
      `${EXAMPLE_TABLES}\n[permissions]\nnetwork = ["https://api.example.com"]\n`,
    )
    const { stdout } = await diff({ 'skill.toml': toml })
    expect(stdout).toContain('major; 0.1.0 → 0.2.0 is enough')
  })

  it('wraps at the width of a terminal, and not in a pipe', async () => {
    const after = { 'SKILL.md': extendExampleBody(`${'word '.repeat(80)}\n`) }
    const narrow = await diff(after, [], { tty: true, columns: 40, env: { NO_COLOR: '1' } })
    expect(Math.max(...narrow.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(
      40,
    )
    expect(narrow.stdout).not.toContain('\u001B')
    const piped = await diff(after)
    expect(Math.max(...piped.stdout.split('\n').map((line) => line.length))).toBeGreaterThan(300)
  })

  it('marks changed words by colours on a terminal, and by brackets without', async () => {
    const after = {
      'SKILL.md': (EXAMPLE_SKILL['SKILL.md'] as string).replace(
        'Greets the person',
        'Greets the robot',
      ),
    }
    const plain = await diff(after)
    expect(plain.stdout).toContain('- Greets the [-person-] named')
    expect(plain.stdout).toContain('+ Greets the {+robot+} named')
    const colored = await diff(after, ['--color'], { tty: true })
    expect(colored.stdout).toContain('\u001B[1m')
    expect(colored.stdout).not.toContain('{+robot+}')
  })

  it('no format prints characters that move the cursor or hide text', async () => {
    const after = {
      'SKILL.md': extendExampleBody(`${HOSTILE}\n`),
      [`resources/${HOSTILE.replaceAll('/', '')}`]: 'x',
    }
    for (const format of ['text', 'markdown', 'sarif', 'json']) {
      const { stdout, code } = await diff(after, ['--format', format])
      expect(code).toBe(30)
      const shown = format === 'json' ? stdout.replaceAll(/[\u202E\u{E0041}]/gu, '') : stdout
      expect(shown).not.toMatch(
        /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202A-\u202E\u{E0000}-\u{E007F}]/u,
      )
    }
  })

  it('in Markdown, every text of a skill stands in code', async () => {
    const name = HOSTILE.replaceAll('/', '')
    const { stdout } = await diff(
      { 'SKILL.md': extendExampleBody(`${HOSTILE}\n`), [`resources/${name}`]: 'x' },
      ['--format', 'markdown'],
    )
    const prose = stdout
      .replace(/^(`{3,})diff\n[\s\S]*?^\1$/gm, '')
      .replace(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, '')
    expect(stdout).toContain('@everyone')
    expect(prose).not.toMatch(/@everyone|<img|\]\(http/)
    // A row stays one row: each bar of the text is escaped.
    const rows = stdout.split('\n').filter((line) => line.startsWith('| 🛑'))
    for (const row of rows) expect(row.replaceAll('\\|', '').split('|')).toHaveLength(5)
  })

  it('a report that is too long for a comment says what is left out', async () => {
    const after = Object.fromEntries(
      Array.from({ length: 250 }, (_, index) => [
        `references/${index}-${'n'.repeat(150)}.md`,
        'line of text\n'.repeat(100),
      ]),
    )
    const { stdout } = await diff(after, ['--format', 'markdown'])
    expect(stdout.length).toBeLessThan(65_536)
    expect(stdout).toMatch(/\d+ parts of this report left out or shortened/)
    expect((stdout.match(/^`{3,}/gm) ?? []).length % 2).toBe(0)
  })

  it('counts differences and lines above the limits', async () => {
    const names = Object.fromEntries(
      Array.from({ length: 350 }, (_, index) => [`resources/${index}`, `${index}`]),
    )
    const { stdout } = await diff({
      ...names,
      'SKILL.md': extendExampleBody(
        Array.from({ length: 600 }, (_, index) => `Line ${index}`).join('\n'),
      ),
    })
    expect(stdout).toContain('50 more differences of the class "Files" left out')
    expect(stdout).toMatch(/\d+ more changed lines left out/)
  })

  it('masks secrets in all formats', async () => {
    const secret = 'ghp_q8Zr2Lw9Xk4Tn7Vb1Ym6q8Zr2Lw9Xk4Tn7V1'
    for (const format of ['text', 'markdown', 'sarif', 'json']) {
      const { stdout } = await diff({ 'SKILL.md': extendExampleBody(`Use ${secret}.\n`) }, [
        '--format',
        format,
      ])
      expect(stdout).toContain('secret')
      expect(stdout).not.toContain(secret.slice(8))
    }
  })

  it('writes several reports at once', async () => {
    const { cwd, stdout } = await diff(HOST, [
      '--format',
      'text',
      '--format',
      'sarif=out.sarif',
      '--format',
      'markdown=out.md',
    ])
    expect(stdout).toContain('A host is added')
    const { runs } = JSON.parse(readFileSync(join(cwd, 'out.sarif'), 'utf8')) as {
      runs: { results: { ruleId: string; level: string; locations: object[] }[] }[]
    }
    expect(runs[0]?.results[0]).toMatchObject({
      ruleId: 'hosts/added',
      level: 'warning',
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'new/greet/skill.toml' },
            region: { startLine: 15 },
          },
        },
      ],
    })
    expect(readFileSync(join(cwd, 'out.md'), 'utf8')).toMatch(/^## `demo\.greet`: 1 difference/)
  })

  it.each<[string[], string]>([
    [['--format', 'sarfi'], 'Did you mean "sarif"?'],
    [['--format', 'text', '--format', 'json'], 'Two reports cannot both be printed'],
    [['--format', 'json='], 'has no file'],
    [['--format', 'text', '--json'], 'Expected --json or --format, got both'],
  ])('%j is a usage error', async (args, message) => {
    const done = await diff({}, args)
    expect(done.code).toBe(2)
    // With --json, the error is the document.
    expect(done.stdout + done.stderr).toContain(
      message.replaceAll('"', args.includes('--json') ? '\\"' : '"'),
    )
  })

  it('a missing folder, and a folder without a skill, are explained', async () => {
    const cwd = createFolder({ 'empty/readme.txt': 'x' })
    const missing = await runSkills(['diff', './none', './empty'], { cwd })
    expect(missing).toMatchObject({ code: 3, stdout: '' })
    expect(missing.stderr).toContain('There is no folder "./none"')
    const empty = await runSkills(['diff', './empty', './empty'], { cwd })
    expect(empty.stderr).toContain('No skill found at "empty"')
    const commits = await runSkills(['diff', 'git:a', 'git:b'], { cwd })
    expect(commits).toMatchObject({ code: 2 })
  })

  it('reads commits by all spellings', async () => {
    const cwd = createFolders(HOST)
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
        cwd,
        env: { ...INHERITED_ENV, GIT_CONFIG_GLOBAL: '/dev/null' },
      })
    git('init', '--quiet')
    git('add', '.')
    git('commit', '--quiet', '-m', 'one')
    git('tag', 'v1')
    git('branch', 'feature/x')
    for (const args of [
      ['new/greet'],
      ['git:v1', 'new/greet'],
      ['new/greet@feature/x', 'new/greet'],
      ['git:v1:new/greet', 'git:HEAD:new/greet'],
    ]) {
      expect(await runSkills(['diff', ...args], { cwd })).toMatchObject({
        code: 0,
        stdout: 'The skills are the same\n',
      })
    }
    expect(await runSkills(['diff', 'git:v1:old/greet', 'new/greet'], { cwd })).toMatchObject({
      code: 20,
    })
    const root = ['--root', 'new']
    expect(
      await runSkills(['diff', 'demo.greet@v1', 'demo.greet', ...root], { cwd }),
    ).toMatchObject({ code: 0 })
    expect(
      await runSkills(['diff', 'demo.greet@0.1.0', 'new/greet', ...root], { cwd }),
    ).toMatchObject({ code: 0 })
    expect(existsSync(join(cwd, '.git/index.lock'))).toBe(false)
  })

  it('the page names every difference with its severity and statement', () => {
    const page = readFileSync('docs/comparing.md', 'utf8').replaceAll(/ +/g, ' ')
    for (const [code, severity] of Object.entries(DIFFERENCE_CODES)) {
      const title = DIFFERENCE_TITLES[code as keyof typeof DIFFERENCE_CODES]
      expect(page).toContain(`| \`${code}\` | ${severity} | ${title} |`)
    }
  })
})
