// @module-tag slow
// @module-tag nightly
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkUploads } from '../../../src/core/skills/uploads/upload-digests.ts'
import { openUploadedSkills } from '../../../src/core/skills/uploads/file-uploaded-skills.ts'
import { digestFolder } from '../../../src/core/skills/content/read-content.ts'
import { addToCatalog, removeFromCatalog } from '../../../src/fleet/catalog/add-to-catalog.ts'
import { getCatalogSubject } from '../../../src/fleet/catalog/catalog-entry.ts'
import { createNewSkill, openUploadsRepository } from '../../core/skills/uploads/uploads-suite.ts'
import { createFolder, writeTree } from '../../helpers/skills.ts'
import { openNode, type CatalogNode } from './catalog-nodes.ts'
import { addition } from './catalog-skills.ts'
import { useTestFleet } from './test-fleet.ts'

const fleet = useTestFleet()

async function add({ engine, objects }: CatalogNode, name: string, version = '1.0.0') {
  return await addToCatalog(engine, objects, addition(name, version))
}

function listFolder({ catalog }: CatalogNode): string[] {
  return readdirSync(catalog.root)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) => readdirSync(join(catalog.root, name)).map((each) => `${name}@${each}`))
    .toSorted()
}

describe('openCatalog()', () => {
  it('places the skills that exist, and those that are added later', async () => {
    const tenant = await fleet.createTenant()
    const one = await openNode(fleet, { tenant })
    const first = await add(one, 'demo.a')
    const other = await openNode(fleet, { tenant })
    expect(listFolder(other)).toEqual(['demo.a@1.0.0'])
    expect(other.catalog.revision).toBe(first.revision)
    const changed: string[] = []
    other.catalog.onChange((folder) => changed.push(folder))
    const { revision, digest } = await add(one, 'demo.a', '1.1.0')
    await other.catalog.waitFor(revision)
    const folder = join(other.catalog.root, 'demo.a', '1.1.0')
    expect(await digestFolder(folder)).toBe(digest)
    expect(statSync(join(folder, 'bin/run.sh')).mode & 0o777).toBe(0o755)
    expect(changed).toEqual([folder])
    expect(await checkUploads(other.dataDir)).toMatchObject({ checked: 2, damaged: [] })
    expect(other.catalog.problems()).toEqual([])
  })

  it('fetches nothing again after a restart', async () => {
    const tenant = await fleet.createTenant()
    const before = await openNode(fleet, { tenant })
    for (const name of ['demo.a', 'demo.b', 'demo.c']) await add(before, name)
    const { revision } = await add(before, 'demo.d')
    await before.catalog.waitFor(revision)
    expect(before.fetched).toHaveLength(4)
    await before.catalog.close()
    const after = await openNode(fleet, { tenant, dataDir: before.dataDir })
    expect(after.fetched).toEqual([])
    expect(after.catalog.revision).toBe(revision)
    expect(listFolder(after)).toHaveLength(4)
  })

  it('repairs folders that were damaged, at a restart and on request', async () => {
    const tenant = await fleet.createTenant()
    const before = await openNode(fleet, { tenant })
    const { revision, digest } = await add(before, 'demo.a')
    await before.catalog.waitFor(revision)
    await before.catalog.close()
    const folder = join(before.catalog.root, 'demo.a', '1.0.0')
    writeTree(folder, { 'SKILL.md': 'changed', 'more.md': 'added' })
    const after = await openNode(fleet, { tenant, dataDir: before.dataDir })
    expect(await digestFolder(folder)).toBe(digest)
    expect(after.fetched).toHaveLength(1)
    rmSync(dirname(folder), { recursive: true })
    await after.catalog.repair()
    expect(await digestFolder(folder)).toBe(digest)
    expect(after.reported).toEqual([])
    expect(await checkUploads(after.dataDir)).toMatchObject({ damaged: [] })
  })

  it('removes versions that were removed, while it is open and while it was not', async () => {
    const tenant = await fleet.createTenant()
    const [one, other] = [await openNode(fleet, { tenant }), await openNode(fleet, { tenant })]
    for (const version of ['1.0.0', '1.1.0', '1.2.0']) await add(one, 'demo.a', version)
    const { engine, objects } = one
    const remove = async (version: string) =>
      await removeFromCatalog(engine, objects, { name: 'demo.a', version, by: 'test' })
    expect(await remove('1.0.0')).toBe(true)
    expect(await remove('1.0.0')).toBe(false)
    await other.catalog.waitFor((await engine.measure('state')).lastSeq)
    expect(listFolder(other)).toEqual(['demo.a@1.1.0', 'demo.a@1.2.0'])
    await other.catalog.close()
    await remove('1.1.0')
    const again = await openNode(fleet, { tenant, dataDir: other.dataDir })
    expect(listFolder(again)).toEqual(['demo.a@1.2.0'])
    expect(again.catalog.list().map(({ version }) => version)).toEqual(['1.2.0'])
    await remove('1.2.0')
    await again.catalog.waitFor((await engine.measure('state')).lastSeq)
    expect(readdirSync(again.catalog.root).toSorted()).toEqual(['.catalog', '.drafts'])
    expect((await engine.measure('skills')).messages).toBe(0)
    expect(await openUploadsRepository(again.dataDir).list()).toEqual([])
  })

  it('adds the same files of a removed version again, and no others', async () => {
    const node = await openNode(fleet, { tenant: await fleet.createTenant() })
    await add(node, 'demo.a')
    const removal = { name: 'demo.a', version: '1.0.0', by: 'test' }
    await removeFromCatalog(node.engine, node.objects, removal)
    const other = addition('demo.a', '1.0.0', 'Other.')
    const refused = await addToCatalog(node.engine, node.objects, other)
    expect(refused).toMatchObject({ state: 'refused' })
    const { state, revision } = await add(node, 'demo.a')
    expect(state).toBe('added')
    await node.catalog.waitFor(revision)
    expect(listFolder(node)).toEqual(['demo.a@1.0.0'])
  })

  it('notices entries that were purged from the engine', async () => {
    const node = await openNode(fleet, { tenant: await fleet.createTenant() })
    await add(node, 'demo.a')
    const { revision } = await add(node, 'demo.b')
    await node.catalog.waitFor(revision)
    const subject = getCatalogSubject({ name: 'demo.b', version: '1.0.0' })
    await node.engine.remove('state', subject)
    await node.catalog.repair()
    expect(listFolder(node)).toEqual(['demo.a@1.0.0'])
  })

  it('sets skills aside that a node without a fleet has stored', async () => {
    const dataDir = createFolder()
    const limits = { maxSkills: 9, quotaBytes: 1e9 }
    const uploads = openUploadedSkills(dataDir, limits)
    for (const name of ['demo.own', 'demo.a'])
      await uploads.add(createNewSkill(name), async () => {})
    const tenant = await fleet.createTenant()
    await add(await openNode(fleet, { tenant }), 'demo.a')
    const node = await openNode(fleet, { tenant, dataDir })
    writeTree(node.catalog.root, { 'SKILL.md': 'stray' })
    await node.catalog.repair()
    expect(listFolder(node)).toEqual(['demo.a@1.0.0'])
    const aside = join(dataDir, 'created-set-aside')
    const kept = readdirSync(aside).toSorted()
    expect(kept.map((each) => each.replace(/\.[0-9a-f]{8}\.\d.*/, ''))).toEqual([
      'SKILL.md',
      'demo.a@1.0.0',
      'demo.own@1.0.0',
    ])
    expect(readFileSync(join(aside, kept[2] ?? '', 'skill.toml'), 'utf8')).toContain('demo.own')
    const kinds = node.reported.map(({ kind, name }) => `${kind} ${name}`).toSorted()
    expect(kinds).toEqual(['set-aside SKILL.md', 'set-aside demo.a', 'set-aside demo.own'])
  })

  it('replaces a link in place of the folder of a skill, and writes nothing through it', async () => {
    const tenant = await fleet.createTenant()
    await add(await openNode(fleet, { tenant }), 'demo.a')
    const [dataDir, outside] = [createFolder(), createFolder()]
    mkdirSync(join(dataDir, 'created'))
    symlinkSync(outside, join(dataDir, 'created', 'demo.a'))
    const node = await openNode(fleet, { tenant, dataDir })
    expect(listFolder(node)).toEqual(['demo.a@1.0.0'])
    expect(readdirSync(outside)).toEqual([])
  })

  it('keeps one folder equal for two processes', async () => {
    const tenant = await fleet.createTenant()
    const dataDir = createFolder()
    const nodes = [
      await openNode(fleet, { tenant, dataDir }),
      await openNode(fleet, { tenant, dataDir }),
    ] as const
    let revision = 0
    for (let at = 0; at < 8; at++) ({ revision } = await add(nodes[0], `demo.s${at}`))
    for (const { catalog } of nodes) await catalog.waitFor(revision)
    expect(listFolder(nodes[0])).toHaveLength(8)
    for (const { catalog } of nodes) expect(catalog.problems()).toEqual([])
    expect(existsSync(join(dataDir, 'created-set-aside'))).toBe(false)
    expect(await checkUploads(dataDir)).toMatchObject({ checked: 8, damaged: [] })
  })

  it('waits no longer than its signal allows, and not after it was closed', async () => {
    const node = await openNode(fleet, { tenant: await fleet.createTenant() })
    const waiting = node.catalog.waitFor(1000, AbortSignal.timeout(50))
    await expect(waiting).rejects.toThrow('timeout')
    const late = node.catalog.waitFor(1000)
    await node.catalog.close()
    await expect(late).rejects.toMatchObject({ code: 'fleet/unavailable' })
  })

  it('follows an engine that lost its last messages', async () => {
    const tenant = await fleet.createTenant()
    const node = await openNode(fleet, { tenant })
    await add(node, 'demo.a')
    const { revision } = await add(node, 'demo.b')
    await node.catalog.waitFor(revision)
    // The streams of another tenant are those of an engine without the last messages.
    const earlier = await openNode(fleet, { tenant: await fleet.createTenant() })
    await add(earlier, 'demo.a')
    const { measure, list } = earlier.engine
    node.engine.measure = measure.bind(earlier.engine)
    node.engine.list = list.bind(earlier.engine)
    node.objects.readAll = earlier.objects.readAll.bind(earlier.objects)
    await node.catalog.repair()
    expect(listFolder(node)).toEqual(['demo.a@1.0.0'])
    expect(node.catalog.problems()).toEqual([])
  })
})
