import { describe, expect, it } from 'vitest'
import { checkAnswer } from './check-answer.ts'

const json = (value: unknown, status = 200) =>
  new Response(JSON.stringify(value), {
    status,
    headers: { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' },
  })
const asked = '{"jsonrpc":"2.0","id":"a","method":"list_skills"}'
const good = { jsonrpc: '2.0', id: 'a', result: null }

describe('checkAnswer()', () => {
  it('accepts valid responses', async () => {
    await checkAnswer(asked, json(good))
    await checkAnswer(
      '{',
      json({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'x' } }, 400),
    )
    await checkAnswer('{"jsonrpc":"2.0","method":"x"}', new Response(null, { status: 204 }))
    await checkAnswer(
      `[${asked},1]`,
      json([good, { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'x' } }]),
    )
  })

  it.each([
    [asked, json({ ...good, id: 'b' })],
    [asked, json({ ...good, error: { code: -32602, message: 'x' } })],
    [asked, json({ jsonrpc: '2.0', id: 'a', error: { code: -32603, message: 'Internal error' } })],
    [asked, json({ jsonrpc: '2.0', id: 'a', error: { code: -32602, message: 'x' } })],
    [asked, json({ ...good, result: 'Error\n    at run (/x/node_modules/y.js:1:1)' })],
    [asked, json(good, 500)],
    [asked, json([good])],
    [asked, new Response(null, { status: 204 })],
    [`[${asked},${asked}]`, json([good])],
    ['{', json(good)],
  ])('rejects an invalid response to %s', async (body, response) => {
    await expect(checkAnswer(body, response)).rejects.toThrow()
  })
})
