// @module-tag slow
// @module-tag nightly
import { rmSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { diffStamps, stampFolders } from '../../src/cli/run/folder-stamps.ts'
import { expectAlive, startProgram } from '../helpers/program.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { createFolder, writeTree, runSkills } from '../helpers/skills.ts'

const returning = (value: string) => `def main(args):\n    return ${value}\n`

function project(code: string) {
  const cwd = createFolder(
    prefixPaths('skills/echo', { ...createActionSkill('demo.echo'), 'code/main.py': code }),
  )
  const save = (path: string, text: string) => writeFileSync(join(cwd, 'skills/echo', path), text)
  return { cwd, save }
}

const WATCHING = 'Ctrl-C ends'

describe('skills exec --watch', () => {
  it('runs again after each change of the skill, valid or not, until Ctrl-C', async () => {
    const { cwd, save } = project(returning('"first"'))
    const program = startProgram(['exec', './skills/echo', '--watch'], { cwd })
    await program.says('"first"', 'stdout')
    await program.says(WATCHING)

    save('code/main.py', returning('"second"'))
    await program.says('"second"', 'stdout')
    expect(program.stderr()).toContain('Changed: skills/echo/code/main.py')

    save('code/main.py', 'def main(args) return 3\n')
    await program.says('failed: SyntaxError')

    const toml = createActionSkill('demo.echo')['skill.toml'] as string
    save('skill.toml', `${toml}\nbroken = [\n`)
    await program.says('Cannot use the folder')
    save('skill.toml', toml)
    save('code/main.py', returning('"fourth"'))
    await program.says('"fourth"', 'stdout')

    program.signal('SIGINT')
    expect(await program.ended).toBe(130)
    expect(program.stdout().match(/".*"/g)?.slice(0, 2)).toEqual(['"first"', '"second"'])
    expect(program.stderr()).not.toContain('Interrupted')
  })

  it('cancels a running run, and leaves no processes', async () => {
    const mark = `skills-mark-${process.pid}-watched`
    const endless = (name: string) =>
      `import os\ndef main(args):\n    os.execv("/bin/sleep", ["${name}", "60"])\n`
    const { cwd, save } = project(endless(`${mark}-1`))
    const program = startProgram(['exec', 'demo.echo', '--watch'], { cwd })
    await expectAlive(`${mark}-1`, 1)
    save('code/main.py', endless(`${mark}-2`))
    await expectAlive(`${mark}-2`, 1)
    await expectAlive(`${mark}-1`, 0)
    expect(program.stderr()).toContain('the run was cancelled')
    program.signal('SIGINT')
    expect(await program.ended).toBe(130)
    await expectAlive(mark, 0)
  })

  it('starts with an invalid skill, and continues after its folder was missing', async () => {
    const { cwd, save } = project(returning('"whole"'))
    const toml = createActionSkill('demo.echo')['skill.toml'] as string
    save('skill.toml', 'name = ')
    const program = startProgram(['exec', './skills/echo', '--watch'], { cwd })
    await program.says('Cannot use the folder')
    await program.says(WATCHING)
    renameSync(join(cwd, 'skills/echo'), join(cwd, 'away'))
    await program.says('There is no folder')
    writeFileSync(join(cwd, 'away/skill.toml'), toml)
    renameSync(join(cwd, 'away'), join(cwd, 'skills/echo'))
    await program.says('"whole"', 'stdout')
  })

  it.each(['out', '.'])('ignores files that the run itself writes into %s', async (out) => {
    const code =
      'from runtime import blobs\ndef main(args):\n    open("left", "w").write("x")\n    blobs.write_text("x")\n    return "made"\n'
    const { cwd } = project(code)
    const program = startProgram(['exec', '.', '--watch', '--out', out, '--keep=kept'], {
      cwd: join(cwd, 'skills/echo'),
    })
    await program.says(WATCHING)
    // A separate change proves that the watch is active and the first run did not trigger it.
    writeTree(join(cwd, 'skills/echo'), { 'code/extra.py': '' })
    await program.says('Changed:')
    expect(program.stderr()).toContain('Changed: code/extra.py\n')
    await program.says('kept-2')
  })

  it('reads standard input once', async () => {
    const { cwd, save } = project('def main(args):\n    return args["name"] + "-1"\n')
    const args = ['exec', 'demo.echo', '--args', '-', '--watch']
    const program = startProgram(args, { cwd, stdin: '{"name": "piped"}' })
    await program.says('piped-1', 'stdout')
    save('code/main.py', 'def main(args):\n    return args["name"] + "-2"\n')
    await program.says('piped-2', 'stdout')
  })

  it.each([
    [['exec', 'demo.echo', '--watch', '--json'], 2, 'Expected --watch or --json, got both'],
    [['exec', 'demo.echo', '--watch', '--args', '['], 2, 'Cannot parse --args'],
    [['exec', 'demo.nothing', '--watch'], 3, 'Unknown skill "demo.nothing"'],
    [['exec', './nowhere', '--watch'], 3, 'There is no folder "./nowhere"'],
    [['run-code', '--code', 'x = 1', '--watch'], 2, '--watch has no files to watch'],
  ])('does not start with %j', async (args, code, message) => {
    const ran = await runSkills(args, { cwd: project(returning('1')).cwd })
    expect(ran.code).toBe(code)
    expect(ran.stderr).toContain(message)
    expect(ran.stderr).not.toContain('Watching')
  })
})

describe('skills run-code --watch', () => {
  it('runs again after a change of the code or of a mounted skill', async () => {
    const { cwd, save } = project('VALUE = "skill one"\ndef main(args): pass\n')
    const code = (name: string) =>
      `from skills.demo.echo import VALUE\ndef main(args):\n    return "${name} and " + VALUE\n`
    writeFileSync(join(cwd, 'code.py'), code('code one'))
    const args = ['run-code', 'code.py', '--mount', './skills/echo', '--watch']
    const program = startProgram(args, { cwd })
    await program.says('code one and skill one', 'stdout')
    writeFileSync(join(cwd, 'code.py'), code('code two'))
    await program.says('code two and skill one', 'stdout')
    save('code/main.py', 'VALUE = "skill two"\ndef main(args): pass\n')
    await program.says('code two and skill two', 'stdout')
    rmSync(join(cwd, 'code.py'))
    await program.says('Cannot read the file "code.py"')
  })
})

describe('stampFolders()', () => {
  it("detects added, removed and changed files, and ignores other programs' files", () => {
    const dir = createFolder({ 'a.py': '1', 'b/c.py': '2' })
    const scan = () => stampFolders([dir], (path) => path.endsWith('/out'))
    const before = scan()
    writeTree(dir, { '.git/HEAD': 'x', '.a.py.swp': 'x', 'a.py~': 'x', 'out/blob': 'x' })
    writeTree(dir, { '__pycache__/a.pyc': 'x' })
    expect(diffStamps(before, scan())).toEqual([])
    writeTree(dir, { 'a.py': '12', 'd.py': '' })
    rmSync(join(dir, 'b'), { recursive: true })
    const changed = diffStamps(before, scan()).map((path) => path.slice(dir.length + 1))
    expect(changed.sort()).toEqual(['a.py', 'b/c.py', 'd.py'])
  })
})
