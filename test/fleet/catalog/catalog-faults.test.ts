// @module-tag slow
// @module-tag nightly
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { addToCatalog } from '../../../src/fleet/catalog/add-to-catalog.ts'
import { createNewSkill, openUploadsRepository } from '../../core/skills/uploads/uploads-suite.ts'
import { createFolder } from '../../helpers/skills.ts'
import { openNode } from './catalog-nodes.ts'
import { addition } from './catalog-skills.ts'
import { useTestFleet } from './test-fleet.ts'
import { BUILT_MODULES } from '../../helpers/built.ts'

const fleet = useTestFleet()
const WORKER = join(import.meta.dirname, 'upload-worker.ts')

/** A process that adds a skill, and stops at a point until it is killed. */
async function startUpload(tenant: string, dataDir: string, point: string): Promise<ChildProcess> {
  const args = ['--import', BUILT_MODULES, WORKER, fleet.server.url, tenant, dataDir, point]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === point) return child
  }
  throw new Error('The process ended before the point')
}

describe('a process that is killed while it adds a skill', () => {
  it.each(['checking', 'writing', 'naming'])('lists nothing if it was %s', async (point) => {
    const tenant = await fleet.createTenant()
    const dataDir = createFolder()
    const child = await startUpload(tenant, dataDir, point)
    child.kill('SIGKILL')
    await once(child, 'exit')
    const node = await openNode(fleet, { tenant, dataDir })
    const other = await openNode(fleet, { tenant })
    expect(readdirSync(join(node.catalog.root, '.drafts'))).toEqual([])
    for (const each of [node, other]) {
      expect(each.catalog.list()).toEqual([])
      expect(await openUploadsRepository(each.dataDir).list()).toEqual([])
    }
    await node.uploads.add(createNewSkill(), async () => {})
    await other.catalog.waitFor(node.catalog.revision)
    expect(await openUploadsRepository(other.dataDir).list()).toHaveLength(1)
  })
})

describe('an engine that is away', () => {
  it('pauses while skills are added, of which none is lost', async () => {
    const tenant = await fleet.createTenant()
    const [one, other] = [await openNode(fleet, { tenant }), await openNode(fleet, { tenant })]
    const names = ['demo.a', 'demo.b', 'demo.c', 'demo.d']
    const adding = names.map(
      async (name) => await one.uploads.add(createNewSkill(name), async () => {}),
    )
    fleet.server.process.kill('SIGSTOP')
    await sleep(1500)
    fleet.server.process.kill('SIGCONT')
    await Promise.all(adding)
    await other.catalog.waitFor(one.catalog.revision)
    for (const { dataDir, catalog } of [one, other]) {
      const entries = await openUploadsRepository(dataDir).list()
      expect(entries.map(({ name }) => name)).toEqual(names)
      expect(catalog.problems()).toEqual([])
    }
  })

  it('is killed and started again, after which nodes see what is added', async () => {
    const tenant = await fleet.createTenant()
    const [one, other] = [await openNode(fleet, { tenant }), await openNode(fleet, { tenant })]
    await one.uploads.add(createNewSkill('demo.before'), async () => {})
    await fleet.server.end('SIGKILL')
    await sleep(500)
    await fleet.server.start()
    await one.uploads.add(createNewSkill('demo.after'), async () => {})
    await other.catalog.waitFor(one.catalog.revision)
    const names = (await openUploadsRepository(other.dataDir).list()).map(({ name }) => name)
    expect(names).toEqual(['demo.after', 'demo.before'])
  })

  it('stops while an archive is fetched, which is fetched when it returns', async () => {
    const tenant = await fleet.createTenant()
    const [one, other] = [await openNode(fleet, { tenant }), await openNode(fleet, { tenant })]
    const readAll = other.objects.readAll.bind(other.objects)
    let isFirst = true
    other.objects.readAll = async (ref) => {
      if (!isFirst) return await readAll(ref)
      isFirst = false
      await fleet.server.end('SIGKILL')
      const reading = readAll(ref)
      await sleep(300)
      await fleet.server.start()
      return await reading
    }
    const { revision } = await addToCatalog(one.engine, one.objects, addition('demo.a'))
    await other.catalog.waitFor(revision)
    expect(other.catalog.problems()).toEqual([])
    expect(readdirSync(join(other.catalog.root, 'demo.a'))).toEqual(['1.0.0'])
  })
})
