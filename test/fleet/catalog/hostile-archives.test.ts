// @module-tag slow
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { digestContent } from '../../../src/core/skills/content/content-manifest.ts'
import { digestFolder } from '../../../src/core/skills/content/read-content.ts'
import { writeTarGz } from '../../../src/core/packing/write/write-tar.ts'
import { describeFiles, type PackedFile } from '../../../src/core/packing/packed-file.ts'
import { SKILL_LIMITS } from '../../../src/fleet/catalog/catalog-limits.ts'
import { openNode, type CatalogNode } from './catalog-nodes.ts'
import { packedSkill, packFiles, storeEntry } from './catalog-skills.ts'
import { linkArchive } from './link-archive.ts'
import { useTestFleet } from './test-fleet.ts'

const fleet = useTestFleet()
const FILES = packedSkill('demo.bad')

function addFile(path: string): PackedFile[] {
  return [...FILES, { path, bytes: Buffer.from('x'), isExecutable: false }]
}

function manyFiles(): PackedFile[] {
  return Array.from({ length: 2 * SKILL_LIMITS.maxFiles + 1 }, (_, at) => ({
    path: `f${at}`,
    bytes: Buffer.alloc(0),
    isExecutable: false,
  }))
}

/** Opens a node, stores an entry without checks, and waits until the node has refused it. */
async function storeRefused(
  archive: Uint8Array,
  change: Parameters<typeof storeEntry>[2] = {},
): Promise<CatalogNode> {
  const node = await openNode(fleet, { tenant: await fleet.createTenant() })
  await node.catalog.waitFor(await storeEntry(node, archive, change))
  expect(readdirSync(node.catalog.root).toSorted()).toEqual(['.catalog', '.drafts'])
  expect(readdirSync(join(node.catalog.root, '.drafts'))).toEqual([])
  expect(readdirSync(join(node.catalog.root, '.catalog'))).toEqual([])
  expect(node.reported).toEqual(node.catalog.problems())
  return node
}

describe('the catalog of a node', () => {
  const other = [...FILES, { path: 'more.md', bytes: Buffer.from('x'), isExecutable: false }]
  const named = packedSkill('demo.other')
  const archives: [string, () => Promise<Uint8Array>, string][] = [
    ['files with another digest', async () => await packFiles(other), 'have the digest'],
    ['a path that leads out', async () => await writeTarGz(addFile('../out')), '".."'],
    ['an absolute path', async () => await writeTarGz(addFile('/tmp/out')), 'is absolute'],
    ['a symbolic link', async () => await linkArchive(FILES), 'is a symbolic link'],
    ['too many files', async () => await writeTarGz(manyFiles()), 'more than 4000 files'],
    ['the manifest of another skill', async () => await packFiles(named), 'names it "demo.other@'],
    ['no manifest', async () => await packFiles(FILES.slice(2)), 'A fleet cannot have'],
    ['bytes that are not an archive', async () => Buffer.from('hello'), 'is neither'],
  ]

  it.each(archives)('refuses %s', async (_, createArchive, reason) => {
    const node = await storeRefused(await createArchive())
    expect(node.catalog.problems()).toMatchObject([
      { name: 'demo.bad', version: '1.0.0', kind: 'refused' },
    ])
    expect(node.catalog.problems()[0]?.reason).toContain(reason)
    expect(existsSync(join(node.catalog.root, '..', 'out'))).toBe(false)
  })

  it('refuses an archive that is larger than the limit, without fetching it', async () => {
    const archive = await packFiles(FILES)
    const node = await openNode(fleet, { tenant: await fleet.createTenant() })
    const object = { ...(await node.objects.write(archive)), size: 100 * 1024 ** 2, chunks: 200 }
    await node.catalog.waitFor(await storeEntry(node, archive, { object }))
    expect(node.catalog.problems()[0]).toMatchObject({ kind: 'refused' })
    expect(node.fetched).toEqual([])
  })

  it('refuses entries whose names are not names of skills, or of their subjects', async () => {
    const archive = await packFiles(FILES)
    for (const name of ['../../out', '.catalog', 'Demo', '']) {
      const node = await storeRefused(archive, { name })
      expect(node.catalog.problems()[0]?.reason).toContain('is damaged')
    }
    const node = await openNode(fleet, { tenant: await fleet.createTenant() })
    for (const version of ['..', '.x', '1/2', '']) {
      await node.catalog.waitFor(await storeEntry(node, archive, { version }))
    }
    const seq = await node.engine.append('state', 'k.catalog.demo.1', JSON.stringify({ name: 'x' }))
    await node.catalog.waitFor(seq)
    expect(readdirSync(node.catalog.root).toSorted()).toEqual(['.catalog', '.drafts'])
  })

  it('reports an archive whose chunks are missing or damaged, and places the other skills', async () => {
    const node = await openNode(fleet, { tenant: await fleet.createTenant() })
    const archive = await packFiles(FILES)
    const object = await node.objects.write(archive)
    await node.objects.remove(object)
    await node.catalog.waitFor(await storeEntry(node, archive, { object }))
    expect(node.catalog.problems()).toMatchObject([{ name: 'demo.bad', kind: 'failed' }])
    const good = await packFiles(packedSkill('demo.good'))
    const digest = digestContent(describeFiles(packedSkill('demo.good')))
    await node.catalog.waitFor(await storeEntry(node, good, { name: 'demo.good', digest }))
    expect(readdirSync(node.catalog.root).toSorted()).toEqual(['.catalog', '.drafts', 'demo.good'])
  })

  it('refuses an entry that changes a version, and keeps its files', async () => {
    const node = await openNode(fleet, { tenant: await fleet.createTenant() })
    await node.catalog.waitFor(await storeEntry(node, await packFiles(FILES)))
    const before = node.catalog.list()[0]?.digest
    const digest = `sha256:${'0'.repeat(64)}`
    await node.catalog.waitFor(await storeEntry(node, await packFiles(other), { digest }))
    expect(node.catalog.problems()[0]?.reason).toContain('a version never changes')
    expect(await digestFolder(join(node.catalog.root, 'demo.bad', '1.0.0'))).toBe(before)
  })
})
