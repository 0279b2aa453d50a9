import { describe, expect, it } from 'vitest'
import { createRuntimeIn } from '../../runs/run-action.ts'
import { createFolder } from '../../../helpers/skills.ts'

const upload = (name: string, version = '1.0.0') => ({
  manifest: { name, version, description: 'A note.', kind: 'instruction' },
  skill_md: `---\nname: ${name.split('.').at(-1)}\ndescription: A note.\n---\n\n# Note\n`,
})

/** Two runtimes on one data folder, as of two processes; both have listed their skills. */
async function createPair() {
  const data = createFolder()
  const [one, other] = [await createRuntimeIn(data), await createRuntimeIn(data)]
  await one.createSkill(upload('demo.first'))
  const listNames = async () =>
    (await other.listSkills({ namespace: 'demo' })).skills.map((each) => `${each.name}@${each.version}`)
  expect(await listNames()).toEqual(['demo.first@1.0.0'])
  return { one, other, listNames }
}

describe('two servers on one data folder', () => {
  it('list each skill that the other one stored', async () => {
    const { one, other, listNames } = await createPair()
    await one.createSkill(upload('demo.second'))
    expect(await listNames()).toContain('demo.second@1.0.0')
    await one.createSkill(upload('demo.second', '1.1.0'))
    expect(await listNames()).toContain('demo.second@1.1.0')
    expect(other.repository.listed()?.some(({ name }) => name === 'demo.second')).not.toBe(false)
    await other.createSkill(upload('demo.third'))
    expect((await one.repository.resolve('demo.third')).version).toBe('1.0.0')
  })

  it('refuse a version that the other one stored, and describe it', async () => {
    const { one, other } = await createPair()
    await one.createSkill(upload('demo.second'))
    await expect(other.createSkill(upload('demo.second'))).rejects.toMatchObject({
      code: 'skill/exists',
    })
    expect(await other.describeSkill({ name: 'demo.second' })).toMatchObject({
      skill: { manifest: { name: 'demo.second' } },
    })
  })

  it('share blobs and grants', async () => {
    const { one, other } = await createPair()
    const { blob_id: id } = await one.createBlob({ content: 'shared', kind: 'text/plain' })
    expect(await other.readBlob({ blob_id: id })).toMatchObject({ size_bytes: 6 })
    const grant = { name: 'demo.first', version: '1.0.0', digest: 'sha256:aa', network: [] }
    expect(await (await other.grants()).list()).toEqual([])
    await (await one.grants()).set({ ...grant, secrets: ['KEY'] })
    expect(await (await other.grants()).list()).toMatchObject([grant])
  })
})
