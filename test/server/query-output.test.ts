import { describe, expect, it } from 'vitest'
import { parseTokens } from '../../src/server/auth/tokens.ts'
import { startTestServer, type RpcAnswer } from '../helpers/server.ts'

const ALICE = 'alice-token-0123456789'
const BOB = 'bob-token-0123456789-bob'
const CODE = 'def main(args):\n    print("one")\n    print("two needles")\n    return 1\n'

async function callAs() {
  const tokens = parseTokens(`${ALICE} alice\n${BOB} bob\n`, 'tokens.txt')
  const server = await startTestServer({ tokens })
  return async (token: string, method: string, params: object) => {
    const headers = { authorization: `Bearer ${token}` }
    const response = await server.post({ jsonrpc: '2.0', id: 1, method, params }, headers)
    return (await response.json()) as RpcAnswer
  }
}

describe('runtime.queryOutput', () => {
  it('serves only the caller of the run, under both method names', async () => {
    const ask = await callAs()
    const { result } = await ask(ALICE, 'run_code', { language: 'python', code: CODE })
    const query = { artifactHandle: result?.['run_id'], queryTerms: ['NEEDLE'], contextLines: 0 }
    for (const method of ['runtime.queryOutput', 'sdl.runtime.queryOutput']) {
      expect((await ask(ALICE, method, query)).result).toMatchObject({
        matchStatus: 'matched',
        matchCount: 1,
        excerpts: [{ lineStart: 2, lineEnd: 2, content: 'two needles', source: 'stdout' }],
      })
    }
    const { error } = await ask(BOB, 'runtime.queryOutput', query)
    expect(error).toMatchObject({ code: -32002, data: { kind: 'output/foreign' } })
  })

  it('returns the end of the output if the query has only the handle, and says so', async () => {
    const ask = await callAs()
    const code = 'for i in range(50):\n    print("line", i)\nraise SystemExit(3)'
    const failed = await ask(ALICE, 'runtime.execute', { runtime: 'python', code })
    const artifactHandle = failed.result?.['artifactHandle']
    const { result } = await ask(ALICE, 'runtime.queryOutput', { artifactHandle })
    expect(result?.['notice']).toContain('the last 20 lines of each stream')
    expect(result?.['excerpts']).toMatchObject([
      { lineStart: 31, lineEnd: 50, content: expect.stringMatching(/line 49$/) as unknown },
    ])
    expect(result?.['omitted']).toBe(30)
    // A query that says what it wants has no notice.
    const asked = await ask(ALICE, 'runtime.queryOutput', { artifactHandle, tail: 1 })
    expect(asked.result).not.toHaveProperty('notice')
  })

  it('distinguishes unknown handles from invalid parameters', async () => {
    const ask = await callAs()
    const of = async (params: object) => (await ask(ALICE, 'runtime.queryOutput', params)).error
    const artifactHandle = 'runtime-my-repo-1774356909696-fc5aa1f22e33e17c'
    expect(await of({ artifactHandle, queryTerms: ['x'] })).toMatchObject({
      code: -32602,
      data: { kind: 'output/not-found' },
    })
    const wrong: [object, string][] = [
      [{ artifactHandle: 'a b', queryTerms: ['x'] }, 'artifactHandle'],
      [{ queryTerms: ['x'] }, 'artifactHandle'],
      [{ artifactHandle, queryTerms: ['x'], maxExcerpts: 101 }, 'maxExcerpts'],
      [{ artifactHandle, queryTerms: ['x'], contextLines: 21 }, 'contextLines'],
      [{ artifactHandle, queryTerms: ['x'], stream: 'stdin' }, 'stream'],
      [{ artifactHandle, cursor: { stream: 'stdout', afterLine: -1 } }, 'afterLine'],
      [{ artifactHandle, queryTerms: ['x'], tail: 0 }, 'tail'],
      [{ artifactHandle, queryTerms: ['x'], tail: 1001 }, 'tail'],
      [
        { artifactHandle, tail: 1, lineRange: { stream: 'stdout', startLine: 1, endLine: 1 } },
        'tail',
      ],
      [{ artifactHandle, tail: 1, regex: true }, 'regex'],
      [{ artifactHandle, queryTerms: ['(a'], regex: true }, 'a group is not closed'],
      [{ artifactHandle, queryTerms: [String.raw`(a)\1`], regex: true }, 'back-references'],
      [{ artifactHandle, lineRange: { stream: 'stdout', startLine: 2, endLine: 1 } }, 'lineRange'],
    ]
    for (const [params, name] of wrong) {
      const error = await of(params)
      expect(error?.code).toBe(-32602)
      expect(error?.message).toContain(name)
    }
    const most = { maxExcerpts: 100, contextLines: 20, queryTerms: ['x'] }
    expect(await of({ artifactHandle, ...most })).toMatchObject({
      data: { kind: 'output/not-found' },
    })
  })

  it('searches with regular expressions, and returns the last lines or matches', async () => {
    const ask = await callAs()
    const { result } = await ask(ALICE, 'run_code', { language: 'python', code: CODE })
    const artifactHandle = result?.['run_id']
    const query = async (params: object) =>
      (await ask(ALICE, 'runtime.queryOutput', { artifactHandle, contextLines: 0, ...params }))
        .result
    expect(await query({ queryTerms: ['^ONE$|need.{3}\\b'], regex: true, tail: 1 })).toMatchObject({
      matchStatus: 'matched',
      matchCount: 2,
      omitted: 1,
      excerpts: [{ lineStart: 2, content: 'two needles' }],
    })
    expect(await query({ queryTerms: ['^ONE$|need.{3}\\b'] })).toMatchObject({ matchCount: 0 })
    expect(await query({ tail: 1 })).toMatchObject({
      matchStatus: 'lineRange',
      omitted: 1,
      excerpts: [{ lineStart: 2, lineEnd: 2, content: 'two needles' }],
    })
  })
})
