import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/core/config/load-config.ts'
import { createRuntime } from '../../src/core/runtime.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

/** A home folder with an uploaded skill. */
async function home(): Promise<string> {
  const dir = createFolder()
  const { config } = await loadConfig({ cwd: dir, env: { HOME: dir }, noFiles: true })
  await createRuntime({ config }).createSkill({
    manifest: {
      name: 'user.sync',
      version: '0.1.0',
      description: 'Syncs.',
      kind: 'action',
      runtime: { language: 'python', entrypoint: 'main.py', export: 'main' },
      permissions: { secrets: ['API_KEY'], network: ['https://api.example.com'] },
    },
    skill_md: '# Sync\n',
    files: [{ path: 'main.py', content: 'def main(args):\n    return 1\n' }],
  })
  return dir
}

const grants = (dir: string) => join(dir, '.local/share/skills/grants.json')

describe('skills grant', () => {
  it('grants, lists and revokes, outside the skill', async () => {
    const HOME = await home()
    const at = { env: { HOME } }
    const granted = await runSkills(
      ['grant', 'user.sync', '--secret', 'API_KEY', '--network', 'https://api.example.com'],
      at,
    )
    expect(granted).toMatchObject({
      code: 0,
      stdout: 'user.sync@0.1.0: secret API_KEY, https://api.example.com\n',
    })
    expect(readFileSync(grants(HOME), 'utf8')).toContain('API_KEY')
    const listed = (await runSkills(['grant', '--list', '--json'], at)).json()
    expect(listed).toMatchObject({
      schema: 'skills.grants/v1',
      grants: [{ name: 'user.sync', secrets: ['API_KEY'] }],
    })
    expect(
      (await runSkills(['grant', 'user.sync', '--revoke', '--secret', 'API_KEY'], at)).stdout,
    ).toBe('user.sync@0.1.0: https://api.example.com\n')
    expect((await runSkills(['grant', 'user.sync@0.1.0', '--revoke'], at)).stdout).toBe(
      'user.sync@0.1.0: nothing\n',
    )
    expect((await runSkills(['grant', '--list'], at)).stdout).toBe('')
  })

  it('gives the name of a skill to another caller', async () => {
    const HOME = await home()
    const at = { env: { HOME } }
    const given = await runSkills(['grant', 'user.sync', '--owner', 'alice'], at)
    expect(given).toMatchObject({ code: 0, stdout: 'user.sync: alice\n' })
    const file = join(HOME, '.local/share/skills/created-owners/user.sync.json')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ owner: 'alice' })
    const json = await runSkills(['grant', 'user.sync@0.1.0', '--owner', 'bob', '--json'], at)
    expect(json.json()).toMatchObject({
      schema: 'skills.owner/v1',
      name: 'user.sync',
      owner: 'bob',
    })
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ owner: 'bob' })
  })

  it.each([
    [['grant', 'user.sync', '--owner', ''], /"" is not the name of a token/],
    [['grant', 'user.sync', '--owner', 'alice smith'], /"alice smith" is not the name/],
    [['grant', 'user.sync', '--owner', 'alice', '--revoke'], /--owner changes no grant/],
    [['grant'], /Missing the skill/],
    [['grant', 'user.sync'], /Missing the grant/],
    [
      ['grant', 'user.sync', '--secret', 'OTHER'],
      /does not declare the secret "OTHER"[\s\S]*API_KEY/,
    ],
    [
      ['grant', 'user.sync', '--network', 'api.example.com'],
      /no scheme[\s\S]*https:\/\/api\.example\.com/,
    ],
    [
      ['grant', 'user.sync', '--network', 'https://*.github.io'],
      /allows every host below "github.io", which has many owners/,
    ],
    [['grant', 'skills.protocol.guide', '--secret', 'X'], /was not uploaded by create_skill/],
    [['grant', 'user.snyc', '--secret', 'X'], /Did you mean "user.sync"/],
  ])('rejects %j', async (argv, message) => {
    const HOME = await home()
    const { code, stderr } = await runSkills(argv, { env: { HOME } })
    expect(code).not.toBe(0)
    expect(stderr).toMatch(message)
    expect(existsSync(grants(HOME))).toBe(false)
  })
})
