// @module-tag slow
// @module-tag nightly
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { runCommandLine } from '../../../../src/cli/program.ts'
import { CATALOG_PATTERN } from '../../../../src/fleet/catalog/catalog-entry.ts'
import type { Engine } from '../../../../src/fleet/engine/engine.ts'
import { INHERITED_ENV } from '../../../helpers/inherited-env.ts'
import { createFolder } from '../../../helpers/skills.ts'
import { createTenant, useServer } from '../fleet-server.ts'

const server = useServer()

function createSkill(name: string, version = '1.0.0', more = ''): Record<string, string> {
  const folder = name.replaceAll('.', '-')
  const manifest = `name = "${name}"\nversion = "${version}"\ndescription = "Says something."\nkind = "instruction"\n${more}`
  return { [`${folder}/skill.toml`]: manifest, [`${folder}/SKILL.md`]: '# A skill\n\nSay it.\n' }
}

async function createFleet() {
  const tenant = await createTenant(server.url)
  await tenant.fleet(['init'])
  return tenant
}

/** Runs a command on a simulated terminal, and answers its question. Returns its exit status. */
async function answerPrompt(
  argv: readonly string[],
  { tenant, answer }: { tenant: string; answer: string },
): Promise<number> {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} })
  const open = () => Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
  const [stdout, stderr] = [open(), open()]
  let text = ''
  stderr.on('data', (chunk) => (text += String(chunk)))
  stdout.resume()
  const { CI: _, ...inherited } = INHERITED_ENV
  const env = {
    ...inherited,
    HOME: createFolder(),
    TERM: 'xterm',
    SKILLS_FLEET_TENANT: tenant,
    SKILLS_FLEET_SERVERS: server.url,
  }
  const { signal } = new AbortController()
  const io = { cwd: createFolder(), env, stdin, stdout, stderr, signal }
  const ended = runCommandLine(argv, io)
  await expect.poll(() => text, { timeout: 10_000 }).toContain('from every node of the fleet?')
  stdin.write(answer)
  return await ended
}

async function listEntries(engine: Engine): Promise<Record<string, unknown>[]> {
  const entries: Record<string, unknown>[] = []
  for await (const { body } of engine.list('state', CATALOG_PATTERN)) {
    entries.push(JSON.parse(Buffer.from(body).toString()) as Record<string, unknown>)
  }
  return entries
}

describe('skills fleet push', () => {
  it('requires a folder', async () => {
    const { fleet } = await createTenant(server.url)
    const { code, stderr } = await fleet(['push'])
    expect(code).toBe(2)
    expect(stderr).toContain('folder')
  })

  it('without streams names the command that creates them', async () => {
    const { fleet } = await createTenant(server.url)
    const cwd = createFolder(createSkill('demo.a'))
    const { code, stderr } = await fleet(['push', '.'], { cwd })
    expect(code).toBe(3)
    expect(stderr).toContain('skills fleet init')
  })

  it('pushes the skills below a folder, and then reports them as unchanged', async () => {
    const { engine, fleet } = await createFleet()
    const cwd = createFolder({ ...createSkill('demo.a'), ...createSkill('demo.b', '0.2.0') })
    const first = await fleet(['push', '.'], { cwd })
    expect(first).toMatchObject({
      code: 0,
      stdout: 'pushed demo.a@1.0.0\npushed demo.b@0.2.0\n',
      stderr: '',
    })
    expect(await listEntries(engine)).toMatchObject([
      { name: 'demo.a', version: '1.0.0', source: 'push' },
      { name: 'demo.b', version: '0.2.0', source: 'push' },
    ])
    const second = await fleet(['push', '.'], { cwd })
    expect(second).toMatchObject({
      code: 0,
      stdout: 'unchanged demo.a@1.0.0\nunchanged demo.b@0.2.0\n',
    })
  })

  it('pushes the folder of one skill', async () => {
    const { fleet } = await createFleet()
    const cwd = createFolder({ ...createSkill('demo.a'), ...createSkill('demo.b') })
    expect((await fleet(['push', 'demo-b'], { cwd })).stdout).toBe('pushed demo.b@1.0.0\n')
  })

  it('refuses other files for a version, pushes the rest, and exits with 1', async () => {
    const { fleet } = await createFleet()
    const cwd = createFolder(createSkill('demo.a'))
    await fleet(['push', '.'], { cwd })
    const changed = createFolder({
      ...createSkill('demo.a'),
      ...createSkill('demo.b'),
      'demo-a/more.txt': 'x',
    })
    const { code, stdout } = await fleet(['push', '.'], { cwd: changed })
    expect(code).toBe(1)
    expect(stdout).toContain('refused demo.a@1.0.0: This version exists with other files')
    expect(stdout).toContain('pushed demo.b@1.0.0')
  })

  it('refuses skills with lint errors and with manifests that are not valid', async () => {
    const { engine, fleet } = await createFleet()
    const cwd = createFolder({
      ...createSkill('demo.good'),
      ...createSkill('demo.lint', '1.0.0', '[inputs.x]\ntype = "no-type\u001b[2J"\n'),
      'broken/skill.toml': 'name = \n',
    })
    const { code, stdout } = await fleet(['push', '.'], { cwd })
    expect(code).toBe(1)
    expect(stdout).toMatch(/^refused broken: /m)
    expect(stdout).toMatch(/^refused demo[.-]lint(@1\.0\.0)?: /m)
    expect(stdout).toMatch(/^pushed demo\.good@1\.0\.0$/m)
    expect(stdout).not.toContain('\u001b')
    expect((await listEntries(engine)).map(({ name }) => name)).toEqual(['demo.good'])
  })

  it('prints one JSON document', async () => {
    const { fleet } = await createFleet()
    const cwd = createFolder({
      ...createSkill('demo.a'),
      ...createSkill('demo.b'),
      'broken/skill.toml': 'name = \n',
    })
    const { code, json } = await fleet(['push', '.', '--json'], { cwd })
    expect(code).toBe(1)
    const digest = expect.stringMatching(/^sha256:/) as string
    expect(json()).toEqual({
      schema: 'skills.fleet-push/v1',
      skills: [
        {
          name: null,
          version: null,
          folder: 'broken',
          state: 'refused',
          digest: null,
          reason: expect.any(String) as string,
        },
        {
          name: 'demo.a',
          version: '1.0.0',
          folder: 'demo-a',
          state: 'pushed',
          digest,
          reason: null,
        },
        {
          name: 'demo.b',
          version: '1.0.0',
          folder: 'demo-b',
          state: 'pushed',
          digest,
          reason: null,
        },
      ],
    })
  })

  it('of a folder that does not exist, or has no skill, says so', async () => {
    const { fleet } = await createFleet()
    const cwd = createFolder({ 'empty/x.txt': '' })
    expect(await fleet(['push', 'gone'], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"gone" does not exist') as string,
    })
    expect(await fleet(['push', 'empty'], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No skill found at "empty"') as string,
    })
  })
})

describe('skills fleet remove', () => {
  it('requires a name with a version', async () => {
    const { fleet } = await createFleet()
    expect((await fleet(['remove'])).code).toBe(2)
    const { code, stderr } = await fleet(['remove', 'demo.a'])
    expect(code).toBe(2)
    expect(stderr).toContain('Missing the version of "demo.a"')
  })

  it('without a terminal requires --yes', async () => {
    const { engine, fleet } = await createFleet()
    await fleet(['push', '.'], { cwd: createFolder(createSkill('demo.a')) })
    const { code, stderr } = await fleet(['remove', 'demo.a@1.0.0'])
    expect(code).toBe(2)
    expect(stderr).toContain('Add --yes')
    expect((await listEntries(engine))[0]).not.toHaveProperty('removedAt')
  })

  it.each([
    ['n', 130, false],
    ['y', 0, true],
    ['\u0003', 130, false],
  ])('on a terminal asks, and after %j exits with %i', async (answer, code, isRemoved) => {
    const { engine, fleet } = await createFleet()
    await fleet(['push', '.'], { cwd: createFolder(createSkill('demo.a')) })
    const argv = ['fleet', 'remove', 'demo.a@1.0.0']
    expect(await answerPrompt(argv, { tenant: engine.tenant, answer })).toBe(code)
    expect('removedAt' in ((await listEntries(engine))[0] ?? {})).toBe(isRemoved)
  })

  it('removes the version from the catalog, and its archive', async () => {
    const { engine, fleet } = await createFleet()
    await fleet(['push', '.'], { cwd: createFolder(createSkill('demo.a')) })
    const { code, json } = await fleet(['remove', 'demo.a@1.0.0', '--yes', '--json'])
    expect(code).toBe(0)
    expect(json()).toMatchObject({
      schema: 'skills.fleet-remove/v1',
      name: 'demo.a',
      version: '1.0.0',
    })
    expect((await listEntries(engine))[0]).toHaveProperty('removedAt')
    expect((await engine.measure('skills')).messages).toBe(0)
    expect((await fleet(['remove', 'demo.a@1.0.0', '--yes'])).code).not.toBe(0)
  })

  it('of an unknown version suggests another', async () => {
    const { fleet } = await createFleet()
    await fleet(['push', '.'], { cwd: createFolder(createSkill('demo.a')) })
    const { code, stderr } = await fleet(['remove', 'demo.a@9.0.0', '--yes'])
    expect(code).not.toBe(0)
    expect(stderr).toContain('The catalog of the fleet has no skill "demo.a@9.0.0"')
    expect(stderr).toContain('Did you mean "demo.a@1.0.0"?')
  })
})
