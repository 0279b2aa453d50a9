import { describe, expect, it } from 'vitest'
import { extractCode } from '../../src/agent/code/extract-code.ts'
import { runExtractedCode } from '../../src/agent/code/run-extracted-code.ts'
import { localHost } from '../../src/agent/local-host.ts'
import { createAgentSession } from '../../src/agent/session.ts'
import { createTestRuntime } from '../helpers/agent.ts'

const show = (answer: string, languages?: string | string[]) =>
  extractCode(answer, languages).map(({ language, code }) => [language, code])

describe('extractCode()', () => {
  it('finds the blocks of an answer by language', () => {
    const answer = 'Do:\n```py\nprint(1)\n```\nand\n~~~ JSON title="x"\n{}\n~~~\n```\nplain\n```\n'
    expect(show(answer)).toEqual([
      ['python', 'print(1)\n'],
      ['json', '{}\n'],
      ['', 'plain\n'],
    ])
    expect(show(answer, 'python3')).toEqual([['python', 'print(1)\n']])
    expect(show(answer, ['json', 'js'])).toEqual([['json', '{}\n']])
    const [first] = extractCode(answer)
    expect(answer.slice(first?.start, first?.end)).toBe('```py\nprint(1)\n```')
  })

  it.each([
    [
      'a longer fence contains a shorter one',
      '````md\n```js\n1\n```\n````',
      [['md', '```js\n1\n```\n']],
    ],
    ['tildes contain backticks', '~~~sh\n```\n~~~', [['shell', '```\n']]],
    ['a block in a list', '1. x\n   ```js\n   a\n     b\n   ```', [['node', 'a\n  b\n']]],
    ['an answer with CRLF', '```bash\r\nls\r\n```\r\n', [['shell', 'ls\n']]],
    ['an empty block', '```py\n```', [['python', '']]],
    ['attributes', '```{.python .numberLines}\n1\n```', [['python', '1\n']]],
    ['inline code is not a block', 'Use ```ls``` or `x`.\n```a`b\n', []],
    ['no block', 'Nothing.', []],
  ])('%s', (_, answer, expected) => {
    expect(show(answer)).toEqual(expected)
  })

  it('marks a block that the answer cuts', () => {
    expect(extractCode('```py\nprint(')).toMatchObject([{ code: 'print(\n', isClosed: false }])
  })

  it('is fast for hostile text', () => {
    const startedAt = performance.now()
    expect(extractCode(`${'`'.repeat(200_000)}\n${' `'.repeat(200_000)}\n`)).toHaveLength(1)
    expect(extractCode('```py\n'.repeat(50_000))).toHaveLength(1)
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })
})

describe('runExtractedCode()', { timeout: 120_000 }, () => {
  async function openSession(tools: string[] = ['run_code']) {
    const { runtime, dir } = await createTestRuntime()
    const call = { cwd: dir, env: { PATH: process.env['PATH'] } }
    return createAgentSession({ host: localHost(runtime, { call }), tools })
  }

  it.each([
    ['python', 'print("printed", 6 * 7)', null],
    ['python', 'def main():\n    print("printed 42")\n    return {"n": 1}', { n: 1 }],
    ['python', 'def main(args):\n    print("printed 42", args)\n    return 2', 2],
    ['python', 'def main():\n    print("printed 42")\n    return 3\n\nmain()', null],
    [
      'python',
      'def main():\n    print("printed 42")\n\nif __name__ == "__main__":\n    main()',
      null,
    ],
    ['js', 'console.log("printed", 6 * 7)', null],
    ['js', 'const os = require("node:os")\nconsole.log("printed 42", os.EOL.length)', null],
    ['ts', 'async function main(): Promise<number> { console.log("printed 42"); return 4 }', 4],
    ['bash', 'echo "printed $((6 * 7))"', null],
    ['sh', 'main() { echo "printed 42"; }', null],
  ])('runs a block in %s: %s', { tags: ['slow'] }, async (language, code, output) => {
    const [block] = extractCode(`Run:\n\`\`\`${language}\n${code}\n\`\`\``)
    if (!block) throw new Error('no block')
    const answer = await runExtractedCode(await openSession(), block)
    const result = answer.value as { output: unknown; logs_preview: string; status: string }
    expect(result).toMatchObject({ status: 'completed' })
    expect(result.output ?? null).toEqual(output)
    expect(result.logs_preview.split('printed 42')).toHaveLength(2)
  })

  it('reports a failure of the code as a result', async () => {
    const answer = await runExtractedCode(await openSession(), {
      language: 'python',
      code: 'raise ValueError("no")\n',
    })
    expect(answer.value).toMatchObject({ status: 'failed', error: { type: 'ValueError' } })
  })

  it('refuses what it cannot run', async () => {
    const block = { language: 'python', code: 'print(1)\n' }
    const session = await openSession()
    await expect(runExtractedCode(await openSession(['skill_load']), block)).rejects.toThrow(
      'no tool run_code',
    )
    await expect(runExtractedCode(session, { ...block, language: 'json' })).rejects.toThrow(
      '"json"',
    )
    await expect(runExtractedCode(session, { ...block, isClosed: false })).rejects.toThrow(
      'ends inside it',
    )
  })
})
