import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../helpers/skills.ts'

function runScript(
  cwd: string,
  name: string,
  ...argv: string[]
): { code: number | null; output: string } {
  const script = fileURLToPath(new URL(`../../scripts/${name}.js`, import.meta.url))
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...argv], {
    cwd,
    encoding: 'utf8',
  })
  return { code: status, output: stdout + stderr }
}

function createProject(times: object): string {
  return createFolder({ 'test/fast.test.ts': '', 'test/file-times.json': JSON.stringify(times) })
}

describe('record-file-times', () => {
  it('records the files beyond the budget, slowest first, with the commit and the day', () => {
    const cwd = createProject({})
    const git = (...argv: string[]): string =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...argv], {
        cwd,
        encoding: 'utf8',
      })
    git('init', '-q')
    git('commit', '-q', '--allow-empty', '-m', 'a')
    const seconds = { 'test/a.test.ts': 4.9, 'test/b.test.ts': 5.26, 'test/c.test.ts': 12 }
    const text = JSON.stringify({ date: '1970-01-02T00:00:00.000Z', seconds })
    const report = join(createFolder({ 'r.json': text }), 'r.json')
    expect(runScript(cwd, 'record-file-times', report)).toEqual({
      code: 0,
      output: 'test/file-times.json: 2 of 3 test files take more than 5 s\n',
    })
    expect(JSON.parse(readFileSync(join(cwd, 'test/file-times.json'), 'utf8'))).toEqual({
      commit: git('rev-parse', 'HEAD').trim(),
      date: '1970-01-02',
      files: { 'test/c.test.ts': 12, 'test/b.test.ts': 5.3 },
    })
  })

  it('leaves the record as it was when the report lists no test files', () => {
    const cwd = createProject({ files: { 'test/fast.test.ts': 7 } })
    const report = join(createFolder({ 'r.json': '{"seconds":{}}' }), 'r.json')
    expect(runScript(cwd, 'record-file-times', report).code).toBe(2)
    expect(readFileSync(join(cwd, 'test/file-times.json'), 'utf8')).toContain(
      '"test/fast.test.ts":7',
    )
  })
})

describe('npm run file-times', () => {
  const commit = '0123456789abcdef'

  it('passes for files up to the limit', () => {
    const cwd = createProject({ commit, date: '2026-01-02', files: { 'test/fast.test.ts': 10 } })
    expect(runScript(cwd, 'check-file-times')).toEqual({ code: 0, output: '' })
  })

  it('fails with a sentence for a file beyond the limit', () => {
    const cwd = createProject({ commit, date: '2026-01-02', files: { 'test/fast.test.ts': 10.1 } })
    const { code, output } = runScript(cwd, 'check-file-times')
    expect(code).toBe(1)
    expect(output).toContain(
      'test/fast.test.ts took 10.1 s in the CI run of 01234567 on 2026-01-02, at most 10',
    )
  })

  it('fails for an entry of a file that does not exist', () => {
    const cwd = createProject({ commit, date: '2026-01-02', files: { 'test/gone.test.ts': 6 } })
    const { code, output } = runScript(cwd, 'check-file-times')
    expect(code).toBe(1)
    expect(output).toContain('test/gone.test.ts does not exist')
  })

  it('fails when there is no record', () => {
    const { code, output } = runScript(createFolder({}), 'check-file-times')
    expect(code).toBe(2)
    expect(output).toContain('test/file-times.json cannot be read')
  })
})
