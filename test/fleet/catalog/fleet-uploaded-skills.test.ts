// @module-tag slow
// @module-tag nightly
import { describe, expect, it } from 'vitest'
import { addToCatalog, removeFromCatalog } from '../../../src/fleet/catalog/add-to-catalog.ts'
import { addition } from './catalog-skills.ts'
import { openNode } from './catalog-nodes.ts'
import { useTestFleet } from './test-fleet.ts'
import {
  createNewSkill,
  describeUploads,
  openUploadsRepository,
} from '../../core/skills/uploads/uploads-suite.ts'

const fleet = useTestFleet()
const accept = async () => {}

describeUploads('the engine', async (limits) => {
  const node = await openNode(fleet, { tenant: await fleet.createTenant(), limits })
  const { engine, objects, catalog, uploads, dataDir } = node
  const remove = async (name: string, version: string) => {
    await removeFromCatalog(engine, objects, { name, version, by: 'test' })
    await expect.poll(() => catalog.find({ name, version })).toBeUndefined()
    await catalog.repair()
  }
  return { uploads, dataDir, remove }
})

describe('openFleetUploadedSkills()', () => {
  it('shows a skill of one node to the repositories of both', async () => {
    const tenant = await fleet.createTenant()
    const [one, other] = [await openNode(fleet, { tenant }), await openNode(fleet, { tenant })]
    const repositories = [one, other].map(({ dataDir }) => openUploadsRepository(dataDir))
    for (const repository of repositories) expect(await repository.list()).toEqual([])
    await one.uploads.add(createNewSkill(), accept)
    await other.catalog.waitFor(one.catalog.revision)
    const digests = []
    for (const repository of repositories) {
      digests.push(await repository.digest(await repository.resolve('demo.note', '1.0.0')))
    }
    const [entry] = other.catalog.list()
    expect(digests).toEqual([entry?.digest, entry?.digest])
    expect(entry).toMatchObject({ source: 'upload', by: 'create_skill' })
  })

  it('accepts a version from one of two nodes', async () => {
    const tenant = await fleet.createTenant()
    const nodes = [await openNode(fleet, { tenant }), await openNode(fleet, { tenant })]
    const adding = nodes.map(
      async ({ uploads }, at) =>
        await uploads.add(createNewSkill('demo.note', '1.0.0', `By ${at}.`), accept),
    )
    const results = await Promise.allSettled(adding)
    const failed = results.filter((result) => result.status === 'rejected')
    expect(failed).toHaveLength(1)
    expect(failed[0]?.reason).toMatchObject({ code: 'skill/exists' })
    const repositories = nodes.map(({ dataDir }) => openUploadsRepository(dataDir))
    for (const { catalog } of nodes) await catalog.repair()
    const read = repositories.map(async (repository) => {
      const { bytes } = await repository.read(await repository.resolve('demo.note'), 'SKILL.md')
      return Buffer.from(bytes).toString()
    })
    const [first, second] = await Promise.all(read)
    expect(first).toBe(second)
    const winner = results.findIndex(({ status }) => status === 'fulfilled')
    expect(first).toContain(`By ${winner}.`)
  })

  it('leaves the archive of the loser out of the engine', async () => {
    const node = await openNode(fleet, { tenant: await fleet.createTenant() })
    await node.uploads.add(createNewSkill(), accept)
    const before = await node.engine.measure('skills')
    const adding = node.uploads.add(createNewSkill('demo.note', '1.0.0', 'Other.'), accept)
    await expect(adding).rejects.toMatchObject({ code: 'skill/exists' })
    expect((await node.engine.measure('skills')).messages).toBe(before.messages)
  })

  it('refuses a new version of a skill that the operator pushed', async () => {
    const node = await openNode(fleet, { tenant: await fleet.createTenant() })
    const { engine, objects, catalog, uploads } = node
    const pushed = await addToCatalog(engine, objects, addition('demo.own'))
    await catalog.waitFor(pushed.revision)
    const adding = uploads.add(createNewSkill('demo.own', '2.0.0'), accept)
    await expect(adding).rejects.toMatchObject({ code: 'policy/denied' })
  })

  it('does not count skills of the operator', async () => {
    const limits = { maxSkills: 1, quotaBytes: 1e9 }
    const node = await openNode(fleet, { tenant: await fleet.createTenant(), limits })
    const { engine, objects, catalog, uploads } = node
    const pushed = await addToCatalog(engine, objects, addition('demo.own'))
    await catalog.waitFor(pushed.revision)
    await uploads.add(createNewSkill('demo.first'), accept)
    const adding = uploads.add(createNewSkill('demo.second'), accept)
    await expect(adding).rejects.toMatchObject({ code: 'skill/quota' })
  })

  it('refuses files that do not belong to the version, before other nodes see them', async () => {
    const node = await openNode(fleet, { tenant: await fleet.createTenant() })
    const skill = { ...createNewSkill('demo.other'), name: 'demo.note' }
    await expect(node.uploads.add(skill, accept)).rejects.toMatchObject({ code: 'skill/invalid' })
    expect(node.catalog.list()).toEqual([])
  })
})
