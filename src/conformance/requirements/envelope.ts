import type { Requirement } from '../requirement.ts'
import { assertThat, formatValue } from '../assertions.ts'
import { assertErrorCode, assertText, type ConformanceSession } from '../session.ts'

const GUIDE = 'load_skills_protocol_guide'
const page = 'JSON-RPC Conventions'

const callUnknownMethod = async (session: ConformanceSession) =>
  await session.call('no_such_method')

export const ENVELOPE: readonly Requirement[] = [
  {
    id: 'rpc/post',
    level: 'must',
    page,
    text: 'A POST of a JSON-RPC call is answered with HTTP status 200 and a JSON object',
    async check(session) {
      const { status, json, text } = await session.call(GUIDE)
      assertThat(json !== undefined, `Expected a JSON object, got ${formatValue(text)}`)
      assertThat(status === 200, `Expected HTTP status 200, got ${status}`)
    },
  },
  {
    id: 'rpc/version',
    level: 'must',
    page,
    text: 'Every response has "jsonrpc": "2.0"',
    needs: ['rpc/post'],
    async check(session) {
      for (const { json } of [await session.call(GUIDE), await callUnknownMethod(session)]) {
        assertThat(
          json?.['jsonrpc'] === '2.0',
          `Expected "2.0", got ${formatValue(json?.['jsonrpc'])}`,
        )
      }
    },
  },
  {
    id: 'rpc/id',
    level: 'must',
    page,
    text: 'A response has the id of its call with the same type',
    needs: ['rpc/post'],
    async check(session) {
      for (const id of ['a "word"', '7', 7]) {
        const { json } = await session.send(
          JSON.stringify({ jsonrpc: '2.0', id, method: GUIDE, params: {} }),
        )
        assertThat(
          json?.['id'] === id,
          `Expected the id ${formatValue(id)}, got ${formatValue(json?.['id'])}`,
        )
      }
    },
  },
  {
    id: 'rpc/result-alone',
    level: 'must',
    page,
    text: 'A success response has a result and no error',
    needs: ['rpc/post'],
    async check(session) {
      const { json = {} } = await session.call(GUIDE)
      assertThat('result' in json, `Expected a result, got ${formatValue(json)}`)
      assertThat(
        !('error' in json),
        `Expected no error beside the result, got ${formatValue(json['error'])}`,
      )
    },
  },
  {
    id: 'rpc/error-shape',
    level: 'must',
    page,
    text: 'An error response has an error with an integer code and a message, and no result',
    needs: ['rpc/post'],
    async check(session) {
      const { json = {} } = await callUnknownMethod(session)
      const { code, message } = (json['error'] ?? {}) as { code?: unknown; message?: unknown }
      assertThat(
        Number.isInteger(code),
        `Expected an integer code, got ${formatValue(json['error'])}`,
      )
      assertText(message, 'error.message')
      assertThat(
        !('result' in json),
        `Expected no result beside the error, got ${formatValue(json['result'])}`,
      )
    },
  },
  {
    id: 'rpc/error-status',
    level: 'must',
    page,
    text: 'First-level errors arrive with HTTP status 200',
    needs: ['rpc/post'],
    async check(session) {
      const { status } = await callUnknownMethod(session)
      assertThat(status === 200, `Expected HTTP status 200, got ${status}`)
    },
  },
  {
    id: 'rpc/unknown-method',
    level: 'must',
    page,
    text: 'An unknown method is refused with -32601',
    needs: ['rpc/post', 'rpc/error-shape'],
    async check(session) {
      assertErrorCode(await session.expectError('no_such_method', {}), -32601)
    },
  },
  {
    id: 'rpc/missing-param',
    level: 'must',
    page,
    text: 'A required parameter that is missing is refused with -32602',
    needs: ['rpc/post', 'rpc/error-shape'],
    async check(session) {
      for (const method of ['describe_skill', 'create_blob', 'run_code', 'execute_skill']) {
        assertErrorCode(await session.expectError(method, {}), -32602)
      }
    },
  },
  {
    id: 'rpc/wrong-type',
    level: 'must',
    page,
    text: 'A parameter of the wrong type is refused with -32602',
    needs: ['rpc/post', 'rpc/error-shape'],
    async check(session) {
      assertErrorCode(await session.expectError('describe_skill', { name: 5 }), -32602)
      assertErrorCode(await session.expectError('list_skills', { limit: 'many' }), -32602)
    },
  },
  {
    id: 'rpc/not-json-status',
    level: 'must',
    page,
    text: 'A body that is not JSON is answered with HTTP status 400',
    async check(session) {
      const { status } = await session.send('{"jsonrpc": "2.0", ')
      assertThat(status === 400, `Expected HTTP status 400, got ${status}`)
    },
  },
  {
    id: 'rpc/not-json-code',
    level: 'must',
    page,
    text: 'A body that is not JSON is refused with -32700',
    async check(session) {
      const { json, text } = await session.send('{"jsonrpc": "2.0", ')
      const { code } = (json?.['error'] ?? {}) as { code?: unknown }
      assertThat(
        code === -32700,
        `Expected the error code -32700, got ${formatValue(json ?? text)}`,
      )
    },
  },
  {
    id: 'rpc/invalid-request',
    level: 'must',
    page,
    text: 'JSON that is not a call is refused with -32600',
    needs: ['rpc/post', 'rpc/error-shape'],
    async check(session) {
      const { json, text } = await session.send('{"jsonrpc": "2.0", "id": "1", "params": {}}')
      const { code } = (json?.['error'] ?? {}) as { code?: unknown }
      assertThat(
        code === -32600,
        `Expected the error code -32600, got ${formatValue(json ?? text)}`,
      )
    },
  },
  {
    id: 'rpc/null-optional',
    level: 'must',
    page: 'Full Specification',
    text: 'An optional parameter may be null, as the client in the specification sends it',
    needs: ['rpc/post'],
    async check(session) {
      await session.expectResult('list_skills', {
        namespace: null,
        cursor: null,
        detail: 'names',
        limit: 5,
      })
    },
  },
  {
    id: 'rpc/no-params',
    level: 'should',
    page,
    text: 'A call may omit params',
    needs: ['rpc/post'],
    async check(session) {
      const { json, text } = await session.send(
        JSON.stringify({ jsonrpc: '2.0', id: 1, method: GUIDE }),
      )
      assertThat(
        json?.['result'] !== undefined,
        `Expected a result, got ${formatValue(json ?? text)}`,
      )
    },
  },
  {
    id: 'rpc/unknown-path',
    level: 'should',
    page,
    text: 'Other paths are answered with HTTP status 404',
    async check(session) {
      const { status } = await session.send('{}', { path: 'no/such/endpoint' })
      assertThat(status === 404, `Expected HTTP status 404, got ${status}`)
    },
  },
  {
    id: 'rpc/post-only',
    level: 'should',
    page,
    text: 'Calls are accepted by POST only',
    async check(session) {
      const { status } = await session.send(undefined, { verb: 'GET' })
      assertThat(
        status >= 400 && status < 500,
        `Expected GET to be refused, got HTTP status ${status}`,
      )
    },
  },
]
