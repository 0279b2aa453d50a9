// @module-tag slow
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkCachedRoot, locateCachedRoot } from '../../../src/core/config/roots/cached-root.ts'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { createFolder } from '../../helpers/skills.ts'
import {
  createRootProject,
  startServer,
  toPackedFiles,
  TWO_SKILLS,
  zipTree,
  type RootProject,
} from './root-project.ts'

interface FetchedProject extends RootProject {
  tree: string
  /** Folder of the cached files. */
  files: string
}

async function createFetched(): Promise<FetchedProject> {
  const project = createRootProject()
  writeFileSync(join(project.cwd, 'all.zip'), await zipTree(TWO_SKILLS))
  project.configure('./all.zip')
  const { json } = await project.run('roots', 'fetch', '--yes', '--json')
  const { tree } = (json() as unknown as { roots: [{ tree: string }] }).roots[0]
  return { ...project, tree, files: join(project.cache, tree.slice(7), 'files') }
}

function edit(file: string, text: string): void {
  chmodSync(file, 0o644)
  writeFileSync(file, text)
}

describe('the cache of roots', () => {
  it('an edited file is refused by list and exec, and fetch restores it', async () => {
    const { run, files } = await createFetched()
    // The control: without the edit the skills are found.
    expect(await run('list')).toMatchObject({ code: 0 })
    edit(join(files, 'skills/greet/code/main.py'), 'def main(args):\n    return {"stolen": 1}\n')
    for (const command of [['list'], ['exec', 'demo.greet']]) {
      const { code, stdout, stderr } = await run(...command)
      expect(code).not.toBe(0)
      expect(stderr).toContain('was changed on this machine')
      expect(stdout).not.toContain('stolen')
    }
    expect(await run('roots', 'fetch')).toMatchObject({ code: 0 })
    expect(readFileSync(join(files, 'skills/greet/code/main.py'), 'utf8')).not.toContain('stolen')
    expect(await run('list')).toMatchObject({ code: 0 })
  })

  it('a further file, a removed one and a link are refused, also with a stamp of the old state', async () => {
    const { run, files, home, tree } = await createFetched()
    const place = locateCachedRoot(join(home, '.local/share/skills'), tree)
    await run('list')
    const changes: [change: () => void, undo: () => void][] = [
      [
        () => writeFileSync(join(files, 'skills/greet/more.txt'), ''),
        () => rmSync(join(files, 'skills/greet/more.txt')),
      ],
      [
        () => renameSync(join(files, 'more'), join(files, '../more')),
        () => renameSync(join(files, '../more'), join(files, 'more')),
      ],
      [
        () => symlinkSync('/etc/passwd', join(files, 'skills/greet/link')),
        () => rmSync(join(files, 'skills/greet/link')),
      ],
    ]
    for (const [change, undo] of changes) {
      change()
      expect(await checkCachedRoot(place, tree)).toBe('changed')
      undo()
      expect(await checkCachedRoot(place, tree)).toBe('verified')
    }
  })

  it('a stamp does not hide a change, and other users cannot write one', async () => {
    const { files, home, tree } = await createFetched()
    const place = locateCachedRoot(join(home, '.local/share/skills'), tree)
    // Stamps count only after the clock of the kernel has moved on.
    await expect
      .poll(
        async () => (await checkCachedRoot(place, tree)) === 'verified' && existsSync(place.stamp),
      )
      .toBe(true)
    const stamp = readFileSync(place.stamp, 'utf8')
    edit(join(files, 'skills/greet/SKILL.md'), 'poison')
    expect(readFileSync(place.stamp, 'utf8')).toBe(stamp)
    expect(await checkCachedRoot(place, tree)).toBe('changed')
    chmodSync(place.stamp, 0o666)
    expect(await checkCachedRoot(place, tree)).toBe('changed')
  })

  it('a link in place of the files is not followed', async () => {
    const { run, files } = await createFetched()
    const elsewhere = createFolder(TWO_SKILLS)
    rmSync(files, { recursive: true })
    symlinkSync(elsewhere, files)
    const { code, stderr } = await run('list')
    expect(code).toBe(2)
    expect(stderr).toContain('is not on this machine')
  })

  it('a pin with another digest or source gives no access to files of the cache', async () => {
    const { run, pins, tree } = await createFetched()
    const text = readFileSync(pins, 'utf8')
    writeFileSync(pins, text.replaceAll(tree, `sha256:${'0'.repeat(64)}`))
    expect((await run('list')).stderr).toContain('is not on this machine')
    writeFileSync(pins, text.replace(tree, `sha256:${'0'.repeat(64)}`))
    expect((await run('list')).stderr).toContain('are not valid')
    writeFileSync(pins, text.replace('"./all.zip"', '"./other.zip"'))
    expect((await run('list')).stderr).toContain('was never fetched')
    writeFileSync(pins, `<<<<<<< ours\n${text}`)
    expect((await run('list')).stderr).toContain('conflict marker')
    writeFileSync(pins, text)
    expect(await run('list')).toMatchObject({ code: 0 })
  })

  it('a folder that a killed process left is no root and does not stop the next fetch', async () => {
    const { run, cache } = await createFetched()
    const work = join(cache, '.staged')
    // A process of an earlier start of the machine.
    const left = join(work, '00000000.1-1.000000000000000000000000')
    mkdirSync(join(left, 'files/skills/evil'), { recursive: true })
    writeFileSync(
      join(left, 'files/skills/evil/SKILL.md'),
      '---\nname: evil\ndescription: x\n---\n',
    )
    expect((await run('list')).stdout).not.toContain('evil')
    rmSync(join(cache, readdirSync(cache).find((name) => /^[0-9a-f]{64}$/.test(name)) ?? '-'), {
      recursive: true,
    })
    expect(await run('roots', 'fetch')).toMatchObject({ code: 0 })
    expect(await run('list')).toMatchObject({ code: 0 })
  })
})

describe('hostile sources of roots', () => {
  it('paths that lead out of an archive are refused, and nothing is stored', async () => {
    const { cwd, configure, run, pins } = createRootProject()
    const evil = 'skills/greet/aaaaaaaaaaaaaa.txt'
    const zip = await zipTree({ ...TWO_SKILLS, [evil]: 'x' })
    const path = '../../../../../outside.txt/////'.slice(0, evil.length).padEnd(evil.length, 'x')
    const text = zip.toString('latin1').replaceAll(evil, path)
    writeFileSync(join(cwd, 'good.zip'), zip)
    writeFileSync(join(cwd, 'evil.zip'), Buffer.from(text, 'latin1'))
    configure('./evil.zip')
    const { code, stderr } = await run('roots', 'fetch', '--yes')
    expect(code).not.toBe(0)
    expect(stderr).toContain('The archive is refused')
    expect(existsSync(pins)).toBe(false)
    // The control: the same archive with the inner path is accepted.
    configure('./good.zip')
    expect(await run('roots', 'fetch', '--yes')).toMatchObject({ code: 0 })
  })

  it('a server that answers differently at fetch and at the next fetch changes nothing', async () => {
    const { configure, run, cache, pins } = createRootProject()
    const answers = [
      await zipTree(TWO_SKILLS),
      await zipTree({ ...TWO_SKILLS, 'skills/greet/code/main.py': 'evil' }),
    ]
    let count = 0
    const address = await startServer((_, response) => void response.end(answers[count++ % 2]))
    configure(`${address}/all.zip`)
    expect(await run('roots', 'fetch', '--yes')).toMatchObject({ code: 0 })
    const before = readFileSync(pins, 'utf8')
    rmSync(cache, { recursive: true })
    const again = await run('roots', 'fetch', '--yes')
    expect(again.code).not.toBe(0)
    expect(readFileSync(pins, 'utf8')).toBe(before)
    expect((await run('list')).stderr).toContain('is not on this machine')
    // The control: the server answers with the first bytes again.
    expect(await run('roots', 'fetch')).toMatchObject({ code: 0 })
  })

  it('a redirect to a private address is refused', async () => {
    const { configure, run, pins } = createRootProject()
    const zip = await zipTree(TWO_SKILLS)
    const target = await startServer((_, response) => void response.end(zip))
    const address = await startServer((_, response) => {
      const location = `${target.replace('127.0.0.1', '127.0.0.2')}/all.zip`
      response.writeHead(302, { location }).end()
    })
    configure(`${address}/all.zip`)
    expect((await run('roots', 'fetch', '--yes')).stderr).toContain('redirect to')
    expect(existsSync(pins)).toBe(false)
    configure(`${target}/all.zip`)
    expect(await run('roots', 'fetch', '--yes')).toMatchObject({ code: 0 })
  })

  it('texts of skills cannot control the terminal of the question', async () => {
    const { cwd, configure, run } = createRootProject()
    const toml = '\n[permissions]\nnetwork = ["https://api.example.com/\\u001b[2K"]\n'
    const tree = prefixPaths('skills/greet', createActionSkill('demo.greet', { toml }))
    expect(toPackedFiles(tree).length).toBeGreaterThan(0)
    writeFileSync(join(cwd, 'all.zip'), await zipTree(tree))
    configure('./all.zip')
    const { code, stderr } = await run('roots', 'fetch')
    expect(code).not.toBe(0)
    expect(stderr).not.toContain('\u001b')
  })

  it('no command but roots fetch and roots update asks a server', async () => {
    const { configure, run } = createRootProject()
    let requests = 0
    const zip = await zipTree(TWO_SKILLS)
    const address = await startServer((_, response) => {
      requests += 1
      response.end(zip)
    })
    configure(`${address}/all.zip`)
    for (const command of ['list', 'exec demo.greet', 'config', 'roots list', 'search greet']) {
      await run(...command.split(' '))
    }
    expect(requests).toBe(0)
    await run('roots', 'fetch', '--yes')
    expect(requests).toBe(1)
    expect(await run('list')).toMatchObject({ code: 0 })
    expect(requests).toBe(1)
  })

  it('--root refuses an address, which has no pin', async () => {
    const { run } = createRootProject()
    const flag = await run('list', '--root', 'github:acme/skills')
    expect(flag.code).toBe(2)
    expect(flag.stderr).toContain('"roots" of a configuration file')
  })
})
