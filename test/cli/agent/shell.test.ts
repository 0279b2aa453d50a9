// @module-tag slow
import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { PROGRAM } from '../../helpers/built.ts'
import { createFolder } from '../../helpers/skills.ts'
import { DRIVER, TERMINAL_STEPS } from './driver.ts'

const env = { PATH: process.env['PATH'], TERM: 'xterm-256color', LANG: 'C.UTF-8' }
const skill = { 'skills/demo/SKILL.md': '---\nname: demo\ndescription: x\n---\n# Demo\n' }

describe('skills shell', () => {
  it('opens a terminal: prompt, size, colours, Ctrl-C and an exit code', () => {
    const cwd = createFolder(skill)
    const args = ['-c', DRIVER, JSON.stringify(TERMINAL_STEPS), ...PROGRAM, 'shell', 'demo']
    const ran = spawnSync('python3', args, {
      cwd,
      encoding: 'utf8',
      env: { ...env, HOME: createFolder() },
    })
    expect(ran.stderr).toBe('')
    expect(ran.stdout).toBe('5\n')
  }, 120_000)

  it('runs one line without a terminal, and requires one otherwise', () => {
    const [program = '', ...args] = PROGRAM
    const run = (...more: string[]) =>
      spawnSync(program, [...args, 'shell', 'demo', ...more], {
        cwd: createFolder(skill),
        encoding: 'utf8',
        input: 'typed',
        env: { ...env, HOME: createFolder() },
      })
    const one = run('-c', 'cat; echo err >&2; exit 3')
    expect([one.stdout, one.stderr, one.status]).toEqual(['typed', 'err\n', 3])
    const none = run()
    expect([none.stdout, none.status]).toEqual(['', 2])
    expect(none.stderr).toContain('A shell needs a terminal')
    const document = JSON.parse(run('--json', '-c', 'echo hi').stdout) as { schema: string }
    expect(document).toMatchObject({ schema: 'skills.shell/v1', result: { stdout: 'hi\n' } })
  })
})
