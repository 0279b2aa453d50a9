import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/core/config/load-config.ts'
import { openRepositoryRegistry } from '../../../src/core/policy/repository-registry.ts'
import { resolveCwd } from '../../../src/core/policy/working-directory.ts'
import { createFolder } from '../../helpers/skills.ts'
import { trustProject } from '../../helpers/trust-project.ts'

describe('resolveCwd()', () => {
  const repository = () => {
    const outer = createFolder({
      'repo/src/a..b/x': '',
      'repo/src/file': '',
      'repo-2/x': '',
      'out/x': '',
    })
    const root = join(outer, 'repo')
    symlinkSync('../../out', join(root, 'src/leads-out'))
    symlinkSync('a..b', join(root, 'src/leads-in'))
    symlinkSync('circle', join(root, 'circle'))
    symlinkSync(join(outer, 'repo-2'), join(root, 'sibling'))
    return root
  }

  it.each([
    ['.', '.'],
    ['', '.'],
    ['src', 'src'],
    ['./src/', 'src'],
    ['src/a..b', 'src/a..b'],
    ['src/../src/a..b', 'src/a..b'],
    ['src/leads-in', 'src/a..b'],
  ])('resolves %j to %j', async (asked, relative) => {
    expect(await resolveCwd(repository(), asked)).toEqual({ asked, relative })
  })

  it.each([
    '..',
    '../repo-2',
    'src/../../out',
    '/tmp',
    '/',
    'C:\\Windows',
    '..\\out',
    '\\\\server\\share',
    'src\0',
    'src/leads-out',
    'sibling',
    'circle',
  ])('rejects %j as outside of the repository', async (asked) => {
    expect(await resolveCwd(repository(), asked)).toMatchObject({ problem: 'cwd-escape-attempt' })
  })

  it.each([
    ['nowhere', /"nowhere" does not exist/],
    ['src/file', /"src\/file" is not a folder/],
    ['src/file/below', /does not exist/],
  ])('reports that a run cannot start in %j', async (asked, message) => {
    const found = resolveCwd(repository(), asked)
    await expect(found).rejects.toMatchObject({ code: 'file/not-found' })
    await expect(found).rejects.toThrow(message)
  })
})

describe('[repositories]', () => {
  const openRegistry = async (toml: string, dir = createFolder()) => {
    const { writeFileSync } = await import('node:fs')
    mkdirSync(join(dir, 'app'), { recursive: true })
    writeFileSync(join(dir, 'skills.config.toml'), toml)
    const env = { HOME: join(dir, 'home') }
    await trustProject(dir, env)
    const { config } = await loadConfig({ cwd: dir, env })
    return { repositories: openRepositoryRegistry(config), dir }
  }

  it('resolves a folder by its name, with its mode and location', async () => {
    const { repositories, dir } = await openRegistry(
      '[repositories]\napp = "app"\nlib = { path = "./app", mode = "overlay" }\n',
    )
    expect(repositories.names()).toEqual(['app', 'lib'])
    expect(repositories.find('app')).toEqual({
      name: 'app',
      path: join(dir, 'app'),
      mode: 'read-only',
      place: `${join(dir, 'skills.config.toml')}:2`,
    })
    expect(repositories.find('lib').mode).toBe('overlay')
  })

  it("merges the user's and the project's folders; the project's win", async () => {
    const dir = createFolder({
      'home/.config/skills/config.toml':
        '[repositories]\napp = { path = "/usr", mode = "overlay" }',
    })
    const { repositories } = await openRegistry('[repositories]\napp = "app"\nother = "app"\n', dir)
    expect(repositories.names()).toEqual(['app', 'other'])
    expect(repositories.find('app')).toMatchObject({ path: join(dir, 'app'), mode: 'read-only' })
  })

  it.each([
    ['ap', /"ap" is not a registered repository/, /Did you mean "app"/],
    ['zzzzzz', /is not a registered repository/, /Add it to \[repositories\].*registered: app/],
    ['constructor', /is not a registered repository/, /./],
  ])('explains %j', async (name, message, hint) => {
    const { repositories } = await openRegistry('[repositories]\napp = "app"\n')
    const thrown = catchError(() => repositories.find(name))
    expect(thrown).toMatchObject({ code: 'repository/unknown' })
    expect(thrown.message).toMatch(message)
    expect(thrown.hint).toMatch(hint)
  })

  it.each([
    ['"nowhere"', /does not exist/],
    ['"skills.config.toml"', /is not a folder/],
    ['"/"', /is the root of the file system/],
    ['"app/root"', /is the root of the file system/],
    ['"home/.local/share/skills/blobs"', /is inside the data directory/],
    ['"home"', /contains the data directory/],
  ])('rejects a folder that cannot be used: %s', async (path, message) => {
    const dir = createFolder({ 'home/.local/share/skills/blobs/x': '', 'app/x': '' })
    symlinkSync('/', join(dir, 'app/root'))
    const { repositories } = await openRegistry(`[repositories]\nx = ${path}\n`, dir)
    const thrown = catchError(() => repositories.find('x'))
    expect(thrown).toMatchObject({ code: 'repository/unusable' })
    expect(thrown.message).toMatch(message)
  })

  it.each(['app/policy.toml', 'app/folder/policy.toml'])(
    'rejects a writable folder through which a run could replace the policy: %s is a link to it',
    async (file) => {
      const dir = createFolder({ 'real/policy.toml': '', 'app/x': '' })
      symlinkSync(join(dir, 'real/policy.toml'), join(dir, 'app/policy.toml'))
      symlinkSync(join(dir, 'real'), join(dir, 'app/folder'))
      const repositories = openRepositoryRegistry({
        repositories: {
          x: { path: join(dir, 'app'), mode: 'read-write', place: 'here' },
          y: { path: join(dir, 'app'), mode: 'overlay', place: 'here' },
        },
        directories: { data: join(dir, 'data'), cache: join(dir, 'cache') },
        policy: { file: join(dir, file), standardFile: undefined, projectFile: undefined },
      })
      expect(catchError(() => repositories.find('x')).message).toMatch(/contains the policy/)
      expect(repositories.find('y').mode).toBe('overlay')
    },
  )

  it('rejects a writable folder with the policy', async () => {
    const dir = createFolder({ 'home/.config/skills/policy.toml': '', 'home/x': '' })
    const settings = (mode: string) =>
      `[directories]\ndata = "/var/empty-data"\n[repositories]\nx = { path = "home", mode = "${mode}" }\n`
    const { repositories } = await openRegistry(settings('read-write'), dir)
    expect(catchError(() => repositories.find('x')).message).toMatch(/contains the policy/)
    const overlay = await openRegistry(settings('overlay'), dir)
    expect(overlay.repositories.find('x').mode).toBe('overlay')
  })

  it.each([
    ['app = 1', /:2:7: "repositories.app" is 1, expected a path, or a table/],
    ['app = { mode = "overlay" }', /"repositories.app" is .*expected a path/],
    ['app = { path = "x", mod = "y" }', /"repositories.app.mod" is "y".*did you mean "mode"/],
    ['app = { path = "x", mode = "overly" }', /expected one of .*did you mean "overlay"/],
    ['"a b" = "x"', /expected a name of at most 128 letters/],
    ['".." = "x"', /expected a name/],
  ])('reports a mistake with its location: %s', async (line, message) => {
    await expect(openRegistry(`[repositories]\n${line}\n`)).rejects.toThrow(message)
  })
})

function catchError(work: () => unknown): { message: string; hint?: string } {
  try {
    work()
  } catch (error) {
    return error as { message: string; hint?: string }
  }
  throw new Error('nothing was thrown')
}
