// @module-tag slow
// @module-tag nightly
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { startServe } from '../helpers/served.ts'
import { createFolder } from '../helpers/skills.ts'
import { ROOT } from './documents.ts'
import { runConsole } from './run-console.ts'
import { listConsoleBlocks, listKind } from './snippet-kinds.ts'
import { typeCheck } from './type-check.ts'

/** Commands of a document start one after the other, each from source. */
const PATIENCE_MS = 300_000

describe('console blocks print what the documents show', () => {
  // snippets.test.ts runs those of the README, and tour.test.ts those of the quick start.
  const documents = new Set(listKind('console').map(([, { document }]) => document))
  for (const document of ['README.md', 'docs/quickstart.md']) documents.delete(document)
  it.each([...documents])('%s', { timeout: PATIENCE_MS }, (document) => {
    const blocks = listConsoleBlocks(document)
    expect(runConsole(blocks)).toEqual(blocks.map(({ code }) => code))
  })
})

describe('calls of curl work on a served clone', () => {
  it.each(listKind('curl'))('%s', async (_place, { code }) => {
    const server = await startServe([], { cwd: ROOT, env: { HOME: createFolder() } })
    const script = code.replace('http://127.0.0.1:8080', server.url)
    const { stdout } = await promisify(execFile)('bash', ['-c', script])
    expect(JSON.parse(stdout)).toMatchObject({
      id: 1,
      result: { status: 'completed', output: { greeting: 'Hello, Ada!' } },
    })
  })
})

it('TypeScript snippets type-check', { timeout: PATIENCE_MS }, () => {
  const snippets = listKind('typescript').map(([, snippet]) => snippet)
  expect(snippets.length).toBeGreaterThan(3)
  const wrong = { document: 'wrong', line: 1, language: 'ts', code: 'createRuntime(1)' }
  const [first = '', ...rest] = typeCheck([...snippets, wrong])
    .trimEnd()
    .split('\n')
  expect(first).toContain('wrong-1.ts(1,1): error TS')
  expect(rest).toEqual([])
})
