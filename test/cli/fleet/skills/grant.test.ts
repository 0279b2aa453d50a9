// @module-tag slow
// @module-tag nightly
import { describe, expect, it } from 'vitest'
import { openFleetNameOwners } from '../../../../src/fleet/catalog/fleet-name-owners.ts'
import { openFleetGrants } from '../../../../src/fleet/catalog/fleet-grants.ts'
import { createActionSkill, prefixPaths } from '../../../helpers/projects.ts'
import { createFolder, runSkills } from '../../../helpers/skills.ts'
import { createTenant, useServer } from '../fleet-server.ts'

const server = useServer()
const HOST = 'https://api.example.com'

/** A fleet whose catalog has a skill that declares a secret and a host. */
async function createFleet() {
  const { engine, fleet } = await createTenant(server.url)
  await fleet(['init'])
  const toml = `\n[permissions]\nsecrets = ["API_KEY"]\nnetwork = ["${HOST}"]\n`
  const cwd = createFolder(prefixPaths('sync', createActionSkill('demo.sync', { toml })))
  const pushed = await fleet(['push', 'sync', '--json'], { cwd })
  const { skills } = pushed.json() as { skills: { version: string; digest: string }[] }
  const [{ version, digest } = { version: '', digest: '' }] = skills
  const env = { SKILLS_FLEET_TENANT: engine.tenant }
  const grant = async (...argv: string[]) =>
    await runSkills(['grant', ...argv, '--fleet', server.url], { env })
  return { engine, grant, skill: `demo.sync@${version}`, version, digest }
}

describe('skills grant --fleet', () => {
  it('grants, lists and revokes for all nodes', async () => {
    const { engine, grant, skill, version, digest } = await createFleet()
    const grants = openFleetGrants(engine)
    const granted = await grant(skill, '--secret', 'API_KEY', '--network', HOST)
    expect(granted).toMatchObject({ code: 0, stdout: `${skill}: secret API_KEY, ${HOST}\n` })
    const stored = { name: 'demo.sync', version, digest, secrets: ['API_KEY'], network: [HOST] }
    expect(await grants.list()).toEqual([stored])
    expect((await grant('--list', '--json')).json()).toMatchObject({ grants: [stored] })
    expect((await grant(skill, '--revoke', '--secret', 'API_KEY')).stdout).toBe(
      `${skill}: ${HOST}\n`,
    )
    expect((await grant(skill, '--revoke')).stdout).toBe(`${skill}: nothing\n`)
    expect(await grants.list()).toEqual([])
  })

  it('gives no caller the name of a skill that the operator pushed', async () => {
    const { engine, grant } = await createFleet()
    const refused = await grant('demo.sync', '--owner', 'alice')
    expect(refused).toMatchObject({ code: 3 })
    expect(refused.stderr).toContain('The catalog of the fleet has no uploaded skill "demo.sync"')
    expect(await openFleetNameOwners(engine).find('demo.sync')).toBeUndefined()
  })

  it('refuses a secret that the skill does not declare, and a skill without its version', async () => {
    const { grant, skill } = await createFleet()
    const undeclared = await grant(skill, '--secret', 'OTHER')
    expect(undeclared.code).toBe(2)
    expect(undeclared.stderr).toContain('does not declare the secret "OTHER"')
    const unversioned = await grant('demo.sync', '--secret', 'API_KEY')
    expect(unversioned.code).toBe(2)
    expect(unversioned.stderr).toContain('Missing the version of "demo.sync"')
    const unknown = await grant('demo.sink@0.0.0', '--secret', 'API_KEY')
    expect(unknown.code).toBe(3)
    expect(unknown.stderr).toContain('The catalog of the fleet has no skill "demo.sink@0.0.0"')
  })
})
