import { describe, expect, it } from 'vitest'
import type { SkillGrant, SkillGrants } from '../../../../src/core/skills/uploads/grant.ts'

/** Contract of every grant store; `make` opens an empty one. */
export function describeGrants(
  where: string,
  make: () => SkillGrants | Promise<SkillGrants>,
): void {
  describe(`grants in ${where}`, () => {
  const createGrant = (change: Partial<SkillGrant> = {}): SkillGrant => ({
    name: 'user.tools.sync',
    version: '0.1.0',
    digest: 'sha256:aa',
    secrets: ['API_KEY'],
    network: [],
    ...change,
  })

  it('are listed as they were set, separately for each version', async () => {
    const grants = await make()
    expect(await grants.list()).toEqual([])
    const others = [createGrant({ version: '0.2.0' }), createGrant({ name: 'user.other' })]
    for (const each of [createGrant(), ...others]) await grants.set(each)
    expect(await grants.list()).toEqual([createGrant(), ...others])
  })

  it('replace the earlier grant of their version', async () => {
    const grants = await make()
    await grants.set(createGrant())
    await grants.set(createGrant({ digest: 'sha256:bb', network: ['https://api.example.com'] }))
    expect(await grants.list()).toMatchObject([{ digest: 'sha256:bb', secrets: ['API_KEY'] }])
  })

  it('are removed when an empty grant is set', async () => {
    const grants = await make()
    await grants.set(createGrant())
    await grants.set(createGrant({ secrets: [] }))
    expect(await grants.list()).toEqual([])
  })
})
}
