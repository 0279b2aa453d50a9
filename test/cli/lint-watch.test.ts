// @module-tag slow
// @module-tag nightly
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EXAMPLE_SKILL, createExampleToml } from '../../src/core/lint/example-skill.ts'
import { startProgram } from '../helpers/program.ts'
import { prefixPaths } from '../helpers/projects.ts'
import { createFolder, runSkills, writeTree } from '../helpers/skills.ts'

const WATCHING = 'Ctrl-C ends'
const BAD_VERSION = createExampleToml({ version: '"1.0"' })

function createProject() {
  const cwd = createFolder(prefixPaths('skills/greet', EXAMPLE_SKILL))
  const save = (path: string, text: string) => writeFileSync(join(cwd, path), text)
  return { cwd, save }
}

/** Starts a watch; `expectReport` waits until this many reports were printed. */
async function startWatch(cwd: string, ...args: string[]) {
  const program = startProgram(['lint', '--watch', '--format', 'concise', ...args], { cwd })
  const expectReport = async (count: number) =>
    await expect
      .poll(() => program.stderr().split(WATCHING).length - 1, { timeout: 30_000, interval: 50 })
      .toBe(count)
  await expectReport(1)
  return { program, expectReport }
}

describe('skills lint --watch', () => {
  it('checks again after a file changed, and ends with 130 on Ctrl-C', async () => {
    const { cwd, save } = createProject()
    const { program, expectReport } = await startWatch(cwd)
    expect(program.stdout()).toBe('No problems, 1 skill checked\n')
    save('skills/greet/skill.toml', BAD_VERSION)
    await expectReport(2)
    expect(program.stderr()).toContain('Changed: skills/greet/skill.toml')
    expect(program.stdout()).toMatch(/^No problems.*\n\nskills\/greet\/skill.toml:2:11: error/)
    save('skills/greet/skill.toml', createExampleToml())
    await expectReport(3)
    expect(program.stdout().trimEnd().endsWith('\n\nNo problems, 1 skill checked')).toBe(true)
    program.signal('SIGINT')
    expect(await program.ended).toBe(130)
    expect(program.stdout()).not.toContain('\u001B')
  })

  it('notices the atomic rename of an editor, new files, deleted files and new skills', async () => {
    const { cwd, save } = createProject()
    const { program, expectReport } = await startWatch(cwd, '.')
    for (const [index, text] of [BAD_VERSION, createExampleToml()].entries()) {
      save('skills/greet/.new', text)
      renameSync(join(cwd, 'skills/greet/.new'), join(cwd, 'skills/greet/skill.toml'))
      await expectReport(2 + index)
    }
    save('skills/greet/.env', 'A=1\n')
    await expectReport(4)
    expect(program.stdout()).toContain('hygiene/credential-file')
    rmSync(join(cwd, 'skills/greet/.env'))
    await expectReport(5)
    writeTree(cwd, { 'skills/second/SKILL.md': '---\nname: second\n---\n' })
    await expectReport(6)
    expect(program.stdout()).toContain('2 skills checked')
  })

  it('ignores packages, version control and its own report', async () => {
    const { cwd, save } = createProject()
    const report = 'skills/greet/report.txt'
    const { program, expectReport } = await startWatch(cwd, '--output-file', report)
    writeTree(cwd, {
      'skills/greet/node_modules/x.js': '1\n',
      'skills/greet/.git/index': '1\n',
      'skills/greet/.skill.toml.swp': '1\n',
    })
    save('skills/greet/skill.toml', BAD_VERSION)
    await expectReport(2)
    expect(program.stderr()).toMatch(/^Changed: skills\/greet\/skill\.toml$/m)
    expect(program.stdout()).toBe('')
  })

  it('continues after the configuration became invalid and after all skills were deleted', async () => {
    const { cwd, save } = createProject()
    save('skills.config.toml', '[lint]\n')
    const { program, expectReport } = await startWatch(cwd, 'skills')
    save('skills.config.toml', '[lint]\nrules = { nmaing = "off" }\n')
    await program.says('"nmaing" is not a rule or area')
    save('skills.config.toml', '[lint]\n')
    await expectReport(3)
    renameSync(join(cwd, 'skills'), join(cwd, 'away'))
    await program.says('does not exist')
    renameSync(join(cwd, 'away'), join(cwd, 'skills'))
    await expectReport(5)
  })
})

describe('skills lint --watch with options of one run', () => {
  it.each([
    [['--json'], '--watch cannot print several json documents'],
    [['--format', 'sarif'], '--watch cannot print several sarif documents'],
    [['--diff'], 'Expected --watch or --diff, got both'],
    [['--stdin', '--stdin-filename', 'skills/greet/SKILL.md'], 'Expected --watch or --stdin'],
  ])('%j is a usage error', async (args, message) => {
    const { cwd } = createProject()
    const done = await runSkills(['lint', '--watch', ...args], { cwd, stdin: '' })
    expect(done.code).toBe(2)
    expect(done.stdout + done.stderr).toContain(message)
  })
})
