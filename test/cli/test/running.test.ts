import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createActionSkill } from '../../helpers/projects.ts'
import { createFolder, runSkills } from '../../helpers/skills.ts'

const CODE = `
def main(args):
    open("made.txt", "w").write("x")
    return args.get("n")
`

const writeCase = (name: string, expected: number, more = '') =>
  `[[cases]]\nname = "${name}"\n${more}args = { n = 1 }\nexpect = [{ result = { equals = ${expected} } }]\n\n`

const FAST = 'tags = ["fast"]\n'

function createProject(
  cases = writeCase('one', 1, FAST) + writeCase('two', 2) + writeCase('three', 1),
) {
  return createFolder({
    ...createActionSkill('demo.echo', { toml: '' }),
    'code/main.py': CODE,
    'tests/echo.test.toml': cases,
  })
}

interface JsonReport {
  summary: Record<string, number>
  cases: {
    name: string
    status: string
    attempts: { duration_ms?: number; kept: string | null }[]
  }[]
}

async function report(cwd: string, ...args: string[]): Promise<JsonReport & { code: number }> {
  const { code, json } = await runSkills(['test', '--json', ...args], { cwd })
  return { ...(json() as unknown as JsonReport), code }
}

const listNames = ({ cases }: JsonReport) => cases.map(({ name }) => name)

describe('skills test', () => {
  it('selects cases by title, tag and shard, and exits with 3 if none is left', async () => {
    const cwd = createProject()
    expect(listNames(await report(cwd, '--filter', 'THREE', '--filter', 'one'))).toEqual([
      'one',
      'three',
    ])
    expect(listNames(await report(cwd, '--tag', 'fast'))).toEqual(['one'])
    expect(listNames(await report(cwd, '--tag', '!fast'))).toEqual(['two', 'three'])
    expect(listNames(await report(cwd, '--shard', '2/2'))).toEqual(['two'])
    const none = await runSkills(['test', '--filter', 'four'], { cwd })
    expect(none).toMatchObject({ code: 3, stdout: '' })
    expect(none.stderr).toContain('none of 3 cases is selected')
    const empty = await report(cwd, '--filter', 'four')
    expect(empty).toMatchObject({ code: 3, summary: { cases: 0 }, cases: [] })
  })

  it('merges the reports of shards into that of the whole', async () => {
    const cwd = createProject()
    for (const at of ['1', '2']) {
      await runSkills(['test', '--shard', `${at}/2`, '--reporter', `json=${at}.json`], { cwd })
    }
    const merged = await runSkills(['test', 'merge', '1.json', '2.json', '--json'], { cwd })
    expect(merged.code).toBe(1)
    expect(listNames(merged.json() as unknown as JsonReport)).toEqual(['one', 'two', 'three'])
  })

  it('has the same report in every order, apart from times', async () => {
    const cwd = createProject()
    const normalise = (value: JsonReport) =>
      JSON.stringify(value, (key, each: unknown) => (key === 'duration_ms' ? 0 : each))
    const plain = normalise(await report(cwd, '--jobs', '1'))
    for (const seed of ['a', 'b']) {
      expect(normalise(await report(cwd, '--shuffle', seed, '--jobs', '4'))).toBe(plain)
    }
  })

  it('stops after the first failed case with --bail, and says so', async () => {
    const cwd = createProject(writeCase('a', 2) + writeCase('b', 1) + writeCase('c', 1))
    const { code, stdout } = await runSkills(['test', '--bail', '--jobs', '1'], { cwd })
    expect(code).toBe(1)
    expect(stdout).toContain('1 failed (1 case')
    expect(stdout).toContain('the rest did not run')
  })

  it('tries failed cases again, and repeats cases', async () => {
    const cwd = createProject(writeCase('a', 2) + writeCase('b', 1))
    const { cases } = await report(cwd, '--retry', '2', '--repeat', '3')
    expect(cases.map(({ status, attempts }) => [status, attempts.length])).toEqual([
      ['failed', 3],
      ['passed', 3],
    ])
  })

  it('keeps the workspace of a failed case, and prints the command that enters it', async () => {
    const cwd = createProject()
    const { stderr } = await runSkills(['test', '--keep', '--reporter', 'json=r.json'], { cwd })
    const { cases } = JSON.parse(readFileSync(join(cwd, 'r.json'), 'utf8')) as JsonReport
    const [, two] = cases
    const kept = two?.attempts[0]?.kept ?? ''
    expect(stderr).toContain(`To enter the workspace of "two", type: cd ${kept}`)
    expect(existsSync(join(kept, 'made.txt'))).toBe(true)
    expect(cases[0]?.attempts[0]?.kept).toBeNull()
  })

  it.each([
    ['a function', 'args = { n = 1 }'],
    ['a command', 'command = "cd $OUTPUT_DIR; echo x > made.txt; LINKS"'],
  ])('keeps no file of the host that a link of %s names', async (_, action) => {
    const host = createFolder({ 'secret.txt': 'a file of the host' })
    const targets = ['/etc/passwd', '../../../../../../etc/passwd', `${host}/secret.txt`, host]
    const links = targets.map((target, at) => `ln -s ${target} link-${at}; `).join('')
    const code = `import os\ndef main(args):\n    os.system("echo x > made.txt; ${links}")\n    return 1\n`
    const cwd = createFolder({
      ...createActionSkill('demo.echo', { toml: '' }),
      'code/main.py': code,
      'tests/links.test.toml': `[[cases]]\nname = "links"\n${action.replace('LINKS', links)}\nexpect = [{ file = { path = "none.txt" } }]\n`,
    })
    const { cases } = await report(cwd, '--keep')
    const kept = cases[0]?.attempts[0]?.kept ?? ''
    onTestFinished(() => rmSync(dirname(kept), { recursive: true, force: true }))
    const files = readdirSync(kept, { recursive: true, withFileTypes: true })
    expect(files.map(({ name }) => name)).toContain('made.txt')
    const names = files.filter((each) => each.isFile()).map(({ name }) => name)
    expect(names.filter((name) => name.startsWith('link'))).toEqual([])
    // Control: the run made the links, and a copy that follows one has a file of the host.
    symlinkSync(join(host, 'secret.txt'), join(cwd, 'link-2'))
    copyFileSync(join(cwd, 'link-2'), join(kept, 'link-2'))
    expect(readFileSync(join(kept, 'link-2'), 'utf8')).toBe('a file of the host')
  })

  it('writes several reports at once', async () => {
    const cwd = createProject()
    const files = ['junit', 'tap', 'markdown', 'html', 'jsonl', 'github', 'concise']
    const args = files.flatMap((name) => ['--reporter', `${name}=reports/${name}`])
    const ran = await runSkills(['test', '--reporter', 'pretty', ...args], { cwd })
    expect([ran.code, ran.stderr]).toEqual([1, expect.not.stringContaining('error')])
    expect(ran.stdout).toContain('1 failed, 2 passed (3 cases')
    const read = (name: string) => readFileSync(join(cwd, 'reports', name), 'utf8')
    expect(read('junit')).toMatch(
      /<testcase name="two".*>\n {6}<failure type="result" message="Expected the result/,
    )
    expect(read('tap')).toMatch(/^TAP version 14\n1\.\.3\nok 1 - .*\nnot ok 2 - .*two\n {2}---\n/)
    expect(read('markdown')).toContain('| 2 | 1 | 0 |')
    expect(read('html')).toContain('<span class="failed">failed</span> demo.echo › echo › two')
    const lines = read('jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string })
    expect(lines.map(({ type }) => type)).toEqual(['case', 'case', 'case', 'end'])
    expect(read('github')).toMatch(/^::error file=tests\/echo\.test\.toml,line=\d+,col=\d+,title=/)
    expect(read('concise')).toContain('tests/echo.test.toml:')
  })

  it('does not change a skill by a report in its folder while cases run', async () => {
    const cwd = createProject(['one', 'two', 'three'].map((name) => writeCase(name, 0)).join(''))
    const size = 'os.path.getsize(os.path.join(os.path.dirname(__file__), "../report"))'
    const code = `import os\n\ndef main(args):\n    return ${size}\n`
    writeFileSync(join(cwd, 'code/main.py'), code)
    const ran = await runSkills(['test', '--jobs', '1', '--reporter', 'jsonl=report'], { cwd })
    expect([ran.code, ran.stderr]).toEqual([0, ''])
    expect(readFileSync(join(cwd, 'report'), 'utf8').trim().split('\n')).toHaveLength(4)
  })

  it('runs the tests of the changed skill again with --watch', async () => {
    const skill = (name: string) => ({
      [`${name}/skill.toml`]: createActionSkill(`demo.${name}`, { toml: '' })['skill.toml'] ?? '',
      [`${name}/code/main.py`]: CODE,
      [`${name}/tests/${name}.test.toml`]: writeCase('case', 1),
    })
    const cwd = createFolder({ ...skill('first'), ...skill('second') })
    const stop = new AbortController()
    const reports: string[] = []
    const log = join(cwd, 'log.txt')
    const done = runSkills(['test', '--watch', '--reporter', `concise=${log}`], {
      cwd,
      signal: stop.signal,
    })
    const next = async () => {
      for (;;) {
        const text = existsSync(log) ? readFileSync(log, 'utf8') : ''
        if (text.includes(' cases, ') || text.includes(' case, ')) {
          rmSync(log)
          return text
        }
        await sleep(50)
      }
    }
    reports.push(await next())
    writeFileSync(join(cwd, 'second/code/main.py'), `${CODE}# changed\n`)
    reports.push(await next())
    stop.abort()
    expect((await done).code).toBe(130)
    expect(reports[0]).toContain('2 passed (2 cases')
    expect(reports[1]).toContain('1 passed (1 case,')
  })

  it.each([
    [['--reporter', 'xml'], 'There is no reporter "xml"'],
    [['--reporter', 'tap', '--reporter', 'junit'], 'Two reporters cannot both write'],
    [['--reporter', 'tap='], 'Expected a file after "tap="'],
    [['--reporter', 'tap', '--json'], 'Expected --json or --reporter, got both'],
    [['--shard', '3/2'], 'Expected --shard index/count, got "3/2"'],
    [['--repeat', '0'], 'Expected a whole number above 0 for --repeat'],
    [['nowhere'], '"nowhere" does not exist'],
  ])('rejects %j', async (args, message) => {
    const { code, stderr } = await runSkills(['test', ...args], { cwd: createProject() })
    expect(stderr).toContain(message)
    expect(code).toBe(2)
  })
})
