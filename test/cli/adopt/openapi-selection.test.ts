import { describe, expect, it } from 'vitest'
import { createFolder, runSkills } from '../../helpers/skills.ts'

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1.0.0', description: 'Reads pets' },
  servers: [{ url: 'https://api.example.com' }],
  paths: {
    '/pets': { get: { operationId: 'listPets', tags: ['pets'], responses: {} } },
    '/shops': { get: { operationId: 'listShops', tags: ['shops'], responses: {} } },
  },
}

async function adopt(file: string, text: string, ...options: string[]) {
  const cwd = createFolder({ [file]: text })
  return await runSkills(['adopt', file, ...options], { cwd, env: { HOME: cwd } })
}

const adoptDocument = async (document: object, ...options: string[]) =>
  await adopt('api.json', JSON.stringify(document), ...options)

describe('skills adopt of a document', () => {
  it('counts one operation as one, and ends the description of the document', async () => {
    const { code, stdout, stderr } = await adoptDocument(DOCUMENT, '--tag', 'pets', '--dry-run')
    expect(code).toBe(0)
    expect(stderr).toContain('a skill with 1 operation\n')
    expect(stdout).toContain('Reads pets. Use it to')
  })

  it('names what comes next', async () => {
    const { code, stderr } = await adoptDocument(DOCUMENT, '--out', 'out', '--yes')
    expect([code, stderr]).toEqual([0, expect.stringContaining('skills describe out/pets')])
  })

  it.each([
    [['--tag', 'pet'], 'no tag "pet"', 'Did you mean "pets"?'],
    [['--tag', 'pets', '--tag', 'x'], 'no tag "x"', 'Its tags are: pets, shops'],
    [['--operation', 'nothing'], 'no operation "nothing"', 'listPets, listShops'],
  ])('%j is refused with the names that exist', async (options, problem, hint) => {
    const { code, stderr } = await adoptDocument(DOCUMENT, ...options, '--dry-run')
    expect(code).toBe(2)
    expect(stderr).toContain(problem)
    expect(stderr).toContain(hint)
  })

  it.each([
    [{ ...DOCUMENT, servers: undefined }, '--server https://api.example.com'],
    [{ ...DOCUMENT, paths: {} }, 'its "paths" are empty'],
    [{ ...DOCUMENT, openapi: '3.2.0' }, 'of version 3.2.0, expected 3.0 or 3.1'],
  ])('a document without a usable operation is refused: %#', async (document, message) => {
    const { code, stderr } = await adoptDocument(document, '--dry-run')
    expect([code, stderr]).toEqual([3, expect.stringContaining(message)])
  })

  it('YAML with an error is refused, and not read as far as it goes', async () => {
    const text = `openapi: 3.1.0\ninfo: {title: Pets, version: 1.0.0}\npaths: {}\nx: "open\n`
    const { code, stderr } = await adopt('api.yaml', text, '--dry-run')
    expect([code, stderr]).toEqual([3, expect.stringContaining('cannot be parsed')])
  })

  it('a script is answered with the folder that it needs', async () => {
    const { code, stderr } = await adopt('tool.py', 'print(1)\n')
    expect([code, stderr]).toEqual([2, expect.stringContaining('a folder with a SKILL.md')])
  })
})
