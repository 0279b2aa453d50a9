// @module-tag slow
// @module-tag nightly
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectClient, httpTransport, newClient, selectRoutes } from '../helpers/mcp.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { startServe } from '../helpers/served.ts'
import { createFolder, writeTree } from '../helpers/skills.ts'

const INPUTS = `
[inputs]
region = { type = "string", enum = ["eu", "us", "asia"] }
dry = { type = "boolean", required = false }
sheet = { type = "blob", required = false }
days = { type = "integer", default = 30 }
`
const SUM = 'acme.invoices.sum'
const tree = {
  ...prefixPaths('skills/sum', {
    ...createActionSkill(SUM, { toml: INPUTS }),
    'references/a b.md': '# B\n',
    'code/helper.py': '',
  }),
  ...prefixPaths('skills/old', createActionSkill(SUM, { version: '0.0.9', toml: INPUTS })),
  ...prefixPaths('skills/other', createActionSkill('acme.other')),
}
const USE_SKILL = { type: 'ref/prompt', name: 'use-skill' } as const
const SKILL_FILE = { type: 'ref/resource', uri: 'skill://{+skill}/{+file}' } as const
const RUN = { type: 'ref/resource', uri: 'run://{id}/{part}' } as const
const BLOB = { type: 'ref/resource', uri: 'blob:{id}' } as const

interface CompleteOptions {
  ref: typeof USE_SKILL | typeof SKILL_FILE | typeof RUN | typeof BLOB
  name: string
  value?: string
  others?: Record<string, string> | undefined
}

async function complete(client: Client, { ref, name, value = '', others }: CompleteOptions) {
  const context = others && { context: { arguments: others } }
  const { completion } = await client.complete({ ref, argument: { name, value }, ...context })
  return completion
}

async function createBlobByRun(client: Client) {
  const code = 'from runtime import blobs\ndef main(a):\n  return blobs.write_text("x")'
  const { structuredContent } = await client.callTool({
    name: 'run_code',
    arguments: { language: 'python', code },
  })
  const { run_id: run, output: blob } = structuredContent as { run_id: string; output: string }
  return { run, id: blob.slice('blob:'.length) }
}

describe.each(selectRoutes('completions'))('completions over $transport, $era', (route) => {
  const cwd = mkdtempSync(join(tmpdir(), 'skills-test-'))
  let client: Client
  let close: () => Promise<void>
  beforeAll(async () => {
    writeTree(cwd, tree)
    ;({ client, close } = await connectClient(route, { cwd }))
  })
  afterAll(async () => {
    await close()
    rmSync(cwd, { recursive: true, force: true })
  })

  it('complete names, versions, documents and inputs for the prompt of a skill', async () => {
    const skill = async (value: string) =>
      (await complete(client, { ref: USE_SKILL, name: 'skill', value })).values
    expect(await skill('')).toEqual([SUM, 'acme.other'])
    expect(await skill('ACME.o')).toEqual(['acme.other'])
    expect(await skill('sum')).toEqual([SUM])
    expect(await skill(`${SUM}@`)).toEqual([`${SUM}@0.1.0`, `${SUM}@0.0.9`])
    expect(await skill('absent')).toEqual([])
    const document = { ref: USE_SKILL, name: 'document', others: { skill: SUM } } as const
    expect((await complete(client, document)).values).toEqual(['references/a b.md'])
    const inputs = async (value: string, name = SUM) =>
      (await complete(client, { ref: USE_SKILL, name: 'inputs', value, others: { skill: name } }))
        .values
    expect(await inputs('')).toEqual(['region=', 'dry=', 'sheet=', 'days='])
    expect(await inputs('region=')).toEqual(['region=eu', 'region=us', 'region=asia'])
    expect(await inputs('region=eu d')).toEqual(['region=eu dry=', 'region=eu days='])
    expect(await inputs('region=eu dry=t')).toEqual(['region=eu dry=true'])
    expect(await inputs('days=')).toEqual(['days=30'])
    expect(await inputs('constructor=')).toEqual([])
    expect(await inputs('', 'absent')).toEqual([])
  })

  it('complete paths of skills and files for the template that reads them', async () => {
    const values = async (name: string, value: string, others?: Record<string, string>) =>
      (await complete(client, { ref: SKILL_FILE, name, value, others })).values
    expect(await values('skill', 'acme/')).toEqual(['acme/invoices/sum', 'acme/other'])
    const files = await values('file', '', { skill: 'acme/invoices/sum' })
    expect(files).toContain('code/main.py')
    for (const file of files) {
      const uri = `skill://acme/invoices/sum/${file}`
      expect((await client.readResource({ uri })).contents).toHaveLength(1)
    }
    const absent = { uri: 'skill://acme/invoices/sum/absent.md' }
    await expect(client.readResource(absent)).rejects.toMatchObject({ code: -32602 })
    expect(await values('file', '', { skill: 'acme' })).toEqual([])
    expect(await values('file', '')).toEqual([])
    expect((await client.listResourceTemplates()).resourceTemplates).toContainEqual(
      expect.objectContaining({ uriTemplate: SKILL_FILE.uri }),
    )
  })

  it('complete the runs and blobs of this caller', async () => {
    const { run, id } = await createBlobByRun(client)
    const runs = await complete(client, { ref: RUN, name: 'id', value: run.slice(0, 12) })
    expect(runs).toEqual({ values: [run], total: 1, hasMore: false })
    expect(
      (await complete(client, { ref: BLOB, name: 'id', value: id.slice(0, 6) })).values,
    ).toEqual([id])
    const { contents } = await client.readResource({ uri: `blob:${id}` })
    expect(contents).toMatchObject([{ text: 'x' }])
    expect((await complete(client, { ref: RUN, name: 'part' })).values).toEqual([
      'output',
      'logs',
      'record',
    ])
    const sheet = { ref: USE_SKILL, name: 'inputs', others: { skill: SUM } } as const
    expect((await complete(client, { ...sheet, value: 'sheet=' })).values).toContain(
      `sheet=blob:${id}`,
    )
  })

  it('return nothing for other arguments', async () => {
    for (const name of ['x', 'constructor', '__proto__']) {
      for (const ref of [USE_SKILL, RUN] as const) {
        expect((await complete(client, { ref, name })).values).toEqual([])
      }
      const ref = { type: 'ref/prompt', name } as never
      expect((await complete(client, { ref, name: 'skill' })).values).toEqual([])
    }
  })

  it('belong to a prompt that adds a skill to the conversation', async () => {
    const get = async (args: Record<string, string>) => {
      const { messages } = await client.getPrompt({ name: 'use-skill', arguments: args })
      return messages.map(({ content }) => (content as { text: string }).text)
    }
    const texts = await get({ skill: SUM, inputs: 'region=eu', document: 'references/a b.md' })
    expect(texts).toHaveLength(3)
    expect(texts[0]).toMatch(
      /^Use the skill "acme\.invoices\.sum"\. Its SKILL\.md is:\n\n---\nname: sum/,
    )
    expect(texts.slice(1)).toEqual(['references/a b.md:\n\n# B\n', 'Inputs: region=eu'])
    expect(await get({ skill: `${SUM}@0.0.9` })).toHaveLength(1)
    for (const args of [
      { skill: 'absent' },
      { skill: '' },
      { skill: SUM, document: 'absent.md' },
      { skill: SUM, document: '../../other/SKILL.md' },
    ]) {
      await expect(get(args)).rejects.toMatchObject({ code: -32602 })
    }
    await expect(client.getPrompt({ name: 'use-skill' })).rejects.toMatchObject({ code: -32602 })
  })
})

describe('completions', () => {
  it('offer a caller with a token only the runs and blobs of its own runs', async () => {
    const cwd = createFolder(tree)
    const file = join(cwd, 'tokens')
    const [first, second] = ['first-token-00001', 'second-token-0001']
    writeFileSync(file, `${first} first read,run\n${second} second read,run\n`, { mode: 0o600 })
    const { url } = await startServe(['--token-file', file], { cwd })
    const connect = async (token: string) => {
      const client = newClient('modern')
      await client.connect(httpTransport(url, token))
      return client
    }
    const [own, other] = await Promise.all([connect(first), connect(second)])
    const { run, id } = await createBlobByRun(own)
    const ids = async (client: Client) =>
      await Promise.all(
        [RUN, BLOB].map(async (ref) => (await complete(client, { ref, name: 'id' })).values),
      )
    expect(await ids(own)).toEqual([[run], [id]])
    expect(await ids(other)).toEqual([[], []])
    const sheet = { ref: USE_SKILL, name: 'inputs', value: 'sheet=', others: { skill: SUM } }
    expect((await complete(other, sheet)).values).toEqual([])
    await Promise.all([own.close(), other.close()])
  })

  it('are cut after a hundred values, with their number', async () => {
    const values = Array.from({ length: 150 }, (_, at) => `"v${at}"`).join(', ')
    const toml = `\n[inputs]\nx = { type = "string", enum = [${values}] }\n`
    const cwd = createFolder(prefixPaths('skills/many', createActionSkill('many', { toml })))
    const { client, close } = await connectClient({ era: 'modern', transport: 'stdio' }, { cwd })
    const request = { ref: USE_SKILL, name: 'inputs', others: { skill: 'many' } } as const
    const all = await complete(client, { ...request, value: 'x=' })
    expect(all.values).toHaveLength(100)
    expect(all).toMatchObject({ total: 150, hasMore: true })
    const some = await complete(client, { ...request, value: 'x=v14' })
    expect(some).toMatchObject({ total: 11, hasMore: false })
    await close()
  })
})
