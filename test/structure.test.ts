import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, it } from 'vitest'

/**
 * The areas of the code, lowest first: an area loads only what stands before it. Types may be named
 * across, as long as no circle of files comes of it, which oxlint holds (`import/no-cycle`).
 */
const AREAS = [
  'errors.ts',
  'util',
  'client',
  'conformance',
  'core/host-programs',
  'core/git',
  'core/storage',
  'core/audit',
  'core/skills/manifest',
  'core/skills/content',
  'core/signing/envelope',
  'core/runs/history',
  'core/packing',
  'core/skills/repository',
  'core/skills/scaffold',
  'core/config',
  'core/skill-context',
  'core/outputs',
  'core/skills/uploads',
  'core/languages',
  'core/sandbox',
  'core/registries',
  'core/skills/dependencies',
  'core/skills/requirements',
  'core/policy',
  'core/testing/document',
  'core/testing/snapshots',
  'core/testing/expectations',
  'core/testing/suites',
  'core/testing/cassettes',
  'core/safety',
  'core/lint',
  'core/adopting',
  'core/comparing',
  'core/publishing/targets',
  'core/sources',
  'core/signing',
  'core/receipts',
  'core/searching',
  'core/schema',
  'core/project-files',
  'core/runs',
  'core/programs',
  'fleet/engine',
  'core/doctor',
  'core/workspaces',
  'core/trials',
  'core/vetting',
  'core/installing',
  'core/publishing',
  'core/tokens',
  'core/offload',
  'core/open-services.ts',
  'core/tool-formats',
  'core/methods',
  'core/detached',
  'core/runtime.ts',
  'runtime-handle',
  'executors',
  'rpc',
  'server',
  'fleet',
  'agent',
  'testing',
  'evals',
  'mcp',
  'index.ts',
  'cli',
  'console',
] as const

/** Registries, one file an entry, and leaves. */
const LARGE_FOLDERS = new Map([
  ['src/cli/commands', 60],
  ['src/util', 35],
])
const MOST_FILES = 26

const IMPORT =
  /^(?:import|export)\b(?<what>[^'"]*?)\bfrom\s+'(?<from>\.[^']+)'|\bimport\(\s*'(?<dynamic>\.[^']+)'/gm

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => join('src', file))

/** The longest area that a file belongs to. */
function findArea(file: string): number {
  const path = file.slice('src/'.length)
  const found = AREAS.filter((area) => path === area || path.startsWith(`${area}/`))
  const longest = found.toSorted((a, b) => b.length - a.length)[0]
  return longest === undefined ? -1 : AREAS.indexOf(longest)
}

/** Modules that a file loads; types are no modules. */
function listLoaded(file: string): string[] {
  const found = [...readFileSync(file, 'utf8').matchAll(IMPORT)].filter(
    ({ groups }) => groups?.['dynamic'] ?? !/^\s*type\b/.test(groups?.['what'] ?? ''),
  )
  return found.map(({ groups = {} }) =>
    normalize(join(dirname(file), groups['from'] ?? groups['dynamic'] ?? '')),
  )
}

it('every area loads only areas below it', () => {
  const upwards = files.flatMap((file) =>
    listLoaded(file)
      .filter((loaded) => findArea(loaded) > findArea(file))
      .map((loaded) => `${file} loads ${loaded}`),
  )
  expect(upwards).toEqual([])
})

it('every file that imports or is imported belongs to an area', () => {
  const outside = files.filter((file) => findArea(file) === -1 && listLoaded(file).length > 0)
  expect(outside).toEqual([])
})

it('an import of a higher area is detected, the control of the first test', () => {
  expect(findArea('src/cli/main.ts')).toBeGreaterThan(findArea('src/core/runs/job.ts'))
  expect(listLoaded('src/core/runs/perform-run.ts')).toContain(
    'src/core/runs/supervise/function.ts',
  )
  expect(listLoaded('src/core/services.ts')).toEqual([])
})

it('one file sends the requests of downloads and registries, so that no two differ in their checks', () => {
  const senders = files.filter((file) => /from 'node:https'/.test(readFileSync(file, 'utf8')))
  expect(senders).toEqual(['src/core/registries/http/open-response.ts'])
})

it('no folder has too many files', () => {
  const folders = files.map((file) => dirname(file))
  const large = [...new Set(folders)].filter((folder) => {
    const size = folders.filter((each) => each === folder).length
    return size > (LARGE_FOLDERS.get(folder) ?? MOST_FILES)
  })
  expect(large).toEqual([])
})

it('README.md has at most 150 lines', () => {
  expect(readFileSync('README.md', 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(150)
})

it('ARCHITECTURE.md is short, and every path and test that it names exists', () => {
  const text = readFileSync('ARCHITECTURE.md', 'utf8')
  expect(text.split('\n').length).toBeLessThanOrEqual(151)
  const named = [
    ...text.matchAll(/`((?:src|test|docs|scripts|skills|templates|examples|bin)\/[\w./-]*)`/g),
  ]
  expect(named.length).toBeGreaterThan(40)
  const there = new Set(
    ['src', 'test', 'docs', 'scripts', 'skills', 'templates', 'examples', 'bin'].flatMap((top) => [
      `${top}/`,
      ...readdirSync(top, { recursive: true, withFileTypes: true })
        .filter(({ parentPath }) => !parentPath.includes('node_modules'))
        .map((each) => `${join(each.parentPath, each.name)}${each.isDirectory() ? '/' : ''}`),
    ]),
  )
  expect(named.map(([, path]) => path).filter((path) => !there.has(path ?? ''))).toEqual([])
})
