import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder, runSkills, type CliResult } from '../../helpers/skills.ts'
import { startNpmRegistry, TOKEN } from '../../core/registries/npm-registry.ts'
import { startOciRegistry } from '../../core/registries/oci-registry.ts'

interface Publisher {
  cwd: string
  home: string
  setVersion(version: string): void
  publish(to: string, ...options: string[]): Promise<CliResult>
  run(...argv: string[]): Promise<CliResult>
}

function createPublisher(): Publisher {
  const cwd = createFolder({ 'skills.config.toml': '' })
  const home = createFolder()
  const run = async (...argv: string[]) => await runSkills(argv, { cwd, env: { HOME: home } })
  const skill = join(createFolder({ 'greet/notes.txt': 'Be kind.' }), 'greet')
  const setVersion = (version: string) =>
    writeFileSync(
      join(skill, 'SKILL.md'),
      `---\nname: greet\ndescription: Greets a person by name. Use it to say hello.\nmetadata:\n  version: ${version}\n---\nSay hello.\n`,
    )
  setVersion('1.0.0')
  const fixed = ['--no-tests', '--allow-dirty', '--allow-small-step', '--json']
  return {
    cwd,
    home,
    setVersion,
    run,
    publish: async (to, ...options) =>
      await run('publish', skill, '--to', to, ...fixed, ...options),
  }
}

async function createTargets(): Promise<
  { name: string; target: string; source: string; publisher: Publisher }[]
> {
  const [npm, oci] = [await startNpmRegistry({ token: TOKEN }), await startOciRegistry()]
  const [first, second] = [createPublisher(), createPublisher()]
  const lines = [`registry=${npm.url.href}`, `//${npm.url.host}/:_authToken=${TOKEN}`]
  writeFileSync(join(first.home, '.npmrc'), lines.join('\n'))
  return [
    { name: 'npm', target: 'npm:@team/greet', source: 'npm:@team/greet@1.0.0', publisher: first },
    {
      name: 'oci',
      target: `oci:${oci.host}/team/greet`,
      source: `oci:${oci.host}/team/greet:1.0.0`,
      publisher: second,
    },
  ]
}

describe.each([0, 1])('skills publish to a registry (%i)', (at) => {
  const prepare = async () => (await createTargets())[at]!

  it('publishes a version that can be installed', async () => {
    const { target, source, publisher } = await prepare()
    const dry = await publisher.publish(target, '--dry-run')
    expect(dry.stderr + dry.code).toMatch(/0$/)
    expect((await publisher.run('install', source, '--yes')).code).toBe(3)
    const published = await publisher.publish(target)
    expect(published.stderr + published.code).toMatch(/0$/)
    expect(JSON.parse(published.stdout)).toMatchObject({ status: 'published' })
    expect(await publisher.run('install', source, '--yes')).toMatchObject({ code: 0 })
  })

  it('reports a version that is there, and refuses other content and older versions', async () => {
    const { target, publisher } = await prepare()
    publisher.setVersion('1.1.0')
    expect(await publisher.publish(target)).toMatchObject({ code: 0 })
    const again = await publisher.publish(target)
    expect(again.stderr + again.code).toMatch(/0$/)
    expect(JSON.parse(again.stdout)).toMatchObject({ status: 'present' })
    publisher.setVersion('1.0.0')
    expect((await publisher.publish(target)).code).toBe(3)
    publisher.setVersion('1.1.0 # other bytes')
    const other = await publisher.publish(target)
    expect([other.code, other.stdout + other.stderr]).toEqual([3, expect.stringContaining('1.1.0')])
  })
})

it('a target without its parts is refused', async () => {
  const publisher = createPublisher()
  for (const target of ['npm:Upper', 'oci:host', 'oci:localhost:1/name:tag', 'ftp:host']) {
    expect((await publisher.publish(target)).code, target).toBe(2)
  }
})
