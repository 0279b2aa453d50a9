import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseDocument } from '../../../src/core/methods/parse-document.ts'
import { TASKS } from '../../../src/core/offload/perform-task.ts'
import { readSuite } from '../../../src/core/testing/suites/parse-suite.ts'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { startTestServer } from '../../helpers/server.ts'
import { createFolder } from '../../helpers/skills.ts'

const SKILL = prefixPaths('skills/greet', createActionSkill('demo.greet'))
/** The parser needs seconds for such a text of one mebibyte. */
const SLOW_SUITE = `cases: [${'[],'.repeat(300_000)}]\n`

it('suites that take long to read block no other caller, and are ended', async () => {
  const suites = ['a', 'b', 'c', 'd'].map((name) => [`tests/${name}.test.yaml`, SLOW_SUITE])
  const tree = { ...SKILL, ...prefixPaths('skills/greet', Object.fromEntries(suites)) }
  const server = await startTestServer({ tree })
  const inspection = { isRunning: true }
  const inspecting = server.result('inspect_skill', { name: 'demo.greet' }).finally(() => {
    inspection.isRunning = false
  })
  let answered = 0
  while (inspection.isRunning) {
    await server.result('list_skills')
    if (inspection.isRunning) answered += 1
    await new Promise((done) => setTimeout(done, 20))
  }
  expect(await inspecting).toMatchObject({
    name: 'demo.greet',
    tests: [{ file: 'tests', cases: [], problems: ['The suites take too long to read'] }],
  })
  expect(answered).toBeGreaterThan(20)
})

it('a folder of tests that is a link shows no file outside of the skill', async () => {
  const server = await startTestServer({
    tree: { ...SKILL, 'private/secret-plan.test.toml': '[[cases]]\nname = "secret"\n' },
  })
  symlinkSync(join(server.dir, 'private'), join(server.dir, 'skills/greet/tests'))
  const found = await server.result('inspect_skill', { name: 'demo.greet' })
  expect(found['tests']).toEqual([])
  expect(JSON.stringify(found)).not.toContain('secret')
})

it('a suite that is too large is refused before it is read', () => {
  const dir = createFolder()
  const file = join(dir, 'tests/large.test.toml')
  mkdirSync(join(dir, 'tests'))
  writeFileSync(file, '')
  // A file without content, but longer than any text of Node.
  const size = 3 * 1024 ** 3
  truncateSync(file, size)
  expect(readSuite(file)).toMatchObject({
    suite: undefined,
    problems: [{ file, message: `The file has ${size} bytes, expected at most 1048576` }],
  })
})

it('front matter of a document is not parsed, neither here nor in the thread', async () => {
  const hostile = `---\na: [${'[],'.repeat(20_000)}]\n---\n# A\n`
  const sent: unknown[] = []
  const offloader = async () =>
    ({
      async perform(...task: unknown[]) {
        sent.push(task[1])
        return await Promise.resolve({ type: 'root', children: [] })
      },
    }) as never
  await parseDocument(
    { offloader },
    { name: 'a.md', bytes: Buffer.from(hostile), hint: 'Read it' },
    {},
  )
  expect(sent).toEqual([{ text: hostile }])
  const perform = await TASKS.document()
  expect(await perform({ text: hostile })).toMatchObject({
    children: [{ type: 'heading', children: [{ type: 'text', value: 'A' }] }],
  })
})
