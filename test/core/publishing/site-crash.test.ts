// @module-tag slow
// @module-tag nightly
import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, vi } from 'vitest'
import { createActionSkill } from '../../helpers/projects.ts'
import { createFolder } from '../../helpers/skills.ts'
import { readFiles } from '../../cli/publish/published-site.ts'
import { BUILT_MODULES } from '../../helpers/built.ts'

vi.setConfig({ testTimeout: 600_000 })

const PUBLISHER = fileURLToPath(new URL('kill-publisher.ts', import.meta.url))
const NEVER = 1000

/** Publishes in another process, which kills itself after a number of files. */
function publish(folder: string, site: string, count: number): string | number | null {
  const argv = ['--import', BUILT_MODULES, PUBLISHER, folder, site, String(count)]
  const { status, signal, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' })
  expect(stderr).toBe('')
  return signal ?? status
}

interface Entry {
  url?: string
  path?: string
  digest: string
}

/** Problems of all indexes of a site: an entry whose file is missing or has another digest. */
function findBrokenEntries(site: string): string[] {
  const check = (index: string, entries: readonly Entry[]): string[] =>
    entries.flatMap(({ url, path, digest }) => {
      const file = join(site, index, '..', url ?? path ?? '')
      const found = existsSync(file) && `sha256:${hash('sha256', readFileSync(file))}`
      return found === digest ? [] : [`${index}: ${url ?? path}`]
    })
  const read = (index: string): Record<string, unknown> | undefined =>
    existsSync(join(site, index))
      ? (JSON.parse(readFileSync(join(site, index), 'utf8')) as Record<string, unknown>)
      : undefined
  const [discovery, record] = ['.well-known/agent-skills/index.json', 'skills/greet/index.json']
  const versions = (read(record)?.['versions'] ?? []) as { archives: Entry[] }[]
  const claude = (read('.claude-plugin/marketplace.json')?.['plugins'] ?? []) as {
    source: string
  }[]
  return [
    ...check(discovery, (read(discovery)?.['skills'] ?? []) as Entry[]),
    ...check(
      record,
      versions.flatMap(({ archives }) => archives),
    ),
    ...claude.filter(({ source }) => !existsSync(join(site, source, 'skills/greet/SKILL.md'))),
  ].map(String)
}

it('a publisher that is killed after any file leaves indexes of complete entries', () => {
  const [first, second] = ['0.1.0', '0.1.1'].map((version) =>
    createFolder(createActionSkill('demo.greet', { version })),
  ) as [string, string]
  const published = createFolder()
  expect(publish(first, published, NEVER)).toBe(0)
  const whole = createFolder()
  cpSync(published, whole, { recursive: true, verbatimSymlinks: true })
  expect(publish(second, whole, NEVER)).toBe(0)
  const expected = readFiles(whole)
  let kills = 0
  for (let count = 1; ; count += 1) {
    const site = createFolder()
    cpSync(published, site, { recursive: true, verbatimSymlinks: true })
    if (publish(second, site, count) === 0) break
    kills += 1
    expect(findBrokenEntries(site), `killed after ${count} files`).toEqual([])
    expect(publish(second, site, NEVER)).toBe(0)
    expect(readFiles(site)).toEqual(expected)
  }
  expect(kills).toBeGreaterThan(8)
})

it('an index with a missing archive is found, the control of the first test', () => {
  const folder = createFolder(createActionSkill('demo.greet'))
  const site = createFolder()
  publish(folder, site, NEVER)
  expect(findBrokenEntries(site)).toEqual([])
  writeFileSync(join(site, 'skills/greet/0.1.0/greet-0.1.0.tar.gz'), 'other')
  expect(findBrokenEntries(site)).toHaveLength(2)
})
