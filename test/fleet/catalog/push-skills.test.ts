// @module-tag nats-server
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openRepository } from '../../../src/core/skills/repository/open-repository.ts'
import { removeFromCatalog } from '../../../src/fleet/catalog/add-to-catalog.ts'
import { pushSkills, type PushResult } from '../../../src/fleet/catalog/push-skills.ts'
import { openUploadsRepository } from '../../core/skills/uploads/uploads-suite.ts'
import { createFolder, writeTree } from '../../helpers/skills.ts'
import { openNode } from './catalog-nodes.ts'
import { useTestFleet } from './test-fleet.ts'

const fleet = useTestFleet()

function createManifest(name: string, version: string): string {
  return `name = "${name}"\nversion = "${version}"\ndescription = "x"\nkind = "instruction"\n`
}

async function createPush(tree: Record<string, string>) {
  const root = createFolder(tree)
  const node = await openNode(fleet, { tenant: await fleet.createTenant() })
  const push = async () => {
    const repository = openRepository({ roots: [root], builtin: createFolder() })
    const skills = await repository.list()
    const results = await pushSkills(node.engine, node.objects, { skills, by: 'ann' })
    return Object.fromEntries(results.map((result) => [`${result.name}@${result.version}`, result]))
  }
  return { root, node, push }
}

const states = (results: Record<string, PushResult>) =>
  Object.fromEntries(Object.entries(results).map(([name, { state }]) => [name, state]))

describe('pushSkills()', () => {
  it('pushes every skill of a root, and reports those that are unchanged or refused', async () => {
    const { root, node, push } = await createPush({
      'a/skill.toml': createManifest('demo.a', '1.0.0'),
      'a/tests/case.yaml': 'not packed',
      'b/skill.toml': createManifest('demo.b', '1.0.0'),
    })
    const first = await push()
    expect(states(first)).toEqual({ 'demo.a@1.0.0': 'pushed', 'demo.b@1.0.0': 'pushed' })
    writeTree(root, {
      'b/more.md': 'changed',
      'c/skill.toml': createManifest('demo.c', '2.0.0'),
    })
    const second = await push()
    expect(second).toMatchObject({
      'demo.a@1.0.0': { state: 'unchanged' },
      'demo.b@1.0.0': { state: 'refused', reason: expect.stringContaining('with other files') },
      'demo.c@2.0.0': { state: 'pushed' },
    })
    await node.catalog.waitFor((await node.engine.measure('state')).lastSeq)
    const repository = openUploadsRepository(node.dataDir)
    const entry = await repository.resolve('demo.a')
    expect((await repository.files(entry)).map(({ path }) => path)).toEqual(['skill.toml'])
    expect(await repository.digest(entry)).toBe(
      (first['demo.a@1.0.0'] as { digest: string }).digest,
    )
    expect(node.catalog.find(entry)).toMatchObject({ source: 'push', by: 'ann' })
  })

  it('refuses skills that cannot be packed, and pushes the others', async () => {
    const { root, push } = await createPush({
      'a/skill.toml': createManifest('demo.a', '1.0.0'),
      'b/skill.toml': createManifest('demo.b', '1.0.0'),
      'unnamed/SKILL.md': '---\ndescription: Named by its folder.\n---\n\n# X\n',
    })
    symlinkSync('/etc', join(root, 'a', 'link'))
    const results = await push()
    expect(results).toMatchObject({
      'demo.a@1.0.0': { state: 'refused', reason: expect.stringContaining('symbolic link') },
      'demo.b@1.0.0': { state: 'pushed' },
      'unnamed@0.0.0': { state: 'refused', reason: expect.stringContaining('"name" is missing') },
    })
  })

  it('refuses other files of a version that was removed', async () => {
    const { root, node, push } = await createPush({
      'a/skill.toml': createManifest('demo.a', '1.0.0'),
    })
    await push()
    const removal = { name: 'demo.a', version: '1.0.0', by: 'ann' }
    expect(await removeFromCatalog(node.engine, node.objects, removal)).toBe(true)
    writeTree(root, { 'a/more.md': 'changed' })
    expect((await push())['demo.a@1.0.0']).toMatchObject({
      state: 'refused',
      reason: expect.stringContaining('was removed'),
    })
  })
})
