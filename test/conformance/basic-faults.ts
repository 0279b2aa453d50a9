import { sendJson } from '../helpers/raw-server.ts'
import { ERROR, of, result, type Fault } from './fault.ts'

/** Violations of single requirements. */
export const BASIC_FAULTS: Record<string, Fault> = {
  'forgets the version': {
    breaks: ['rpc/version'],
    answer: ({ id, result: kept, error }) => ({
      id,
      ...(kept && { result: kept }),
      ...(error && { error }),
    }),
  },
  'converts every id to a string': {
    breaks: ['rpc/id'],
    answer: (answer) => ({ ...answer, id: String(answer.id) }),
  },
  'adds an empty error to results': {
    breaks: ['rpc/result-alone'],
    answer: (answer) => (answer.result ? { ...answer, error: null as never } : answer),
  },
  'adds an empty result to errors': {
    breaks: ['rpc/error-shape'],
    answer: (answer) => (answer.error ? { ...answer, result: null } : answer),
  },
  'answers errors with HTTP status 422': {
    breaks: ['rpc/error-status'],
    status: (status, call) => (call?.method === 'no_such_method' ? 422 : status),
  },
  'returns another code for unknown methods': {
    breaks: ['rpc/unknown-method'],
    answer: (answer, { method }) =>
      method === 'no_such_method' ? { ...answer, error: ERROR(-32000) } : answer,
  },
  'answers invalid JSON with 200': {
    breaks: ['rpc/not-json-status'],
    status: (status, call) => (call ? status : status === 400 ? 200 : status),
  },
  'returns another code for unknown skills': {
    breaks: ['describe/unknown'],
    answer: (answer, { method }) =>
      method === 'describe_skill' && answer.error?.message.includes('no.such')
        ? { ...answer, error: ERROR(404) }
        : answer,
  },
  'answers GET': {
    breaks: ['rpc/post-only'],
    instead: ({ method, path }, response) => {
      if (method !== 'GET' || path !== '/rpc') return false
      sendJson(response, { result: {} })
      return true
    },
  },
  'lists skills in any order': {
    breaks: ['list/repeatable'],
    answer: (() => {
      let count = 0
      return of('list_skills', ({ skills: listed }) =>
        (listed as object[]).length > 1 && ++count % 2 === 0
          ? { skills: (listed as object[]).toReversed() }
          : undefined,
      )
    })(),
  },
  'ignores limit': {
    breaks: ['list/limit'],
    call: (call) =>
      call.method === 'list_skills' && call.params['limit'] === 1
        ? { ...call, params: { ...call.params, limit: 50 } }
        : call,
  },
  'restarts every page': {
    breaks: ['list/pages'],
    call: (call) => {
      if (call.method !== 'list_skills') return call
      const { cursor: _, ...params } = call.params
      return { ...call, params }
    },
  },
  'ignores namespace': {
    breaks: ['list/namespace'],
    call: (call) => {
      if (call.method !== 'list_skills') return call
      const { namespace: _, ...params } = call.params
      return { ...call, params }
    },
  },
  'hides the guide': {
    breaks: ['list/guide'],
    answer: of('list_skills', ({ skills: listed }) => ({
      skills: (listed as { name: string }[]).map((each) =>
        each.name === 'skills.protocol.guide' ? { ...each, name: 'skills.protocol.other' } : each,
      ),
    })),
  },
  'omits the front matter': {
    breaks: ['describe/front-matter'],
    answer: of('describe_skill', ({ skill }) => {
      const { skill_md_frontmatter: _, ...rest } = skill as Record<string, unknown>
      return { skill: rest }
    }),
  },
  'reads files outside of a skill': {
    breaks: ['read-file/contained'],
    answer: (answer, { method, params }) =>
      method === 'read_skill_file' && String(params['path']).startsWith('%2e')
        ? { jsonrpc: '2.0', id: answer.id, result: { content: 'name = "other"' } }
        : answer,
  },
  'returns another guide': {
    breaks: ['guide/same'],
    answer: of('load_skills_protocol_guide', ({ content }) => ({
      content: `${String(content)}\n`,
    })),
  },
  'counts characters as bytes': {
    breaks: ['blob/size'],
    answer: of('create_blob', (_, { params }) => ({
      size_bytes: String(params['content']).length,
    })),
  },
  'loses the type of a blob': {
    breaks: ['blob/kind'],
    answer: of('read_blob', () => ({ kind: 'text/plain' })),
  },
  'never sets truncated': {
    breaks: ['blob/truncated'],
    answer: of('read_blob', () => ({ truncated: false })),
  },
  'ignores sample_tail': {
    breaks: ['blob/tail'],
    call: (call) =>
      call.params?.['mode'] === 'sample_tail'
        ? { ...call, params: { ...call.params, mode: 'sample_head' } }
        : call,
  },
  'returns exceptions as first-level errors': {
    breaks: ['run-code/exception', 'execute/failure'],
    answer: (answer) => {
      const { status, error } = (answer.result ?? {}) as {
        status?: string
        error?: { type: string }
      }
      const isException = status === 'failed' && error?.type === 'ValueError'
      return isException ? { jsonrpc: '2.0', id: answer.id, error: ERROR(-32000) } : answer
    },
  },
  'returns "failed" without an error': {
    breaks: ['run-code/error-fields'],
    answer: of('run_code', ({ status }) => (status === 'failed' ? { error: {} } : undefined)),
  },
  'gives every run the same id': {
    breaks: ['run-code/run-id'],
    answer: result(({ run_id: id }) => (id === undefined ? undefined : { run_id: 'run_1' })),
  },
  'drops standard error': {
    breaks: ['run-code/logs'],
    answer: of('run_code', ({ logs_preview: logs }) => ({
      logs_preview: String(logs).replace('said-err\n', ''),
    })),
  },
  'returns all logs': {
    breaks: ['run-code/logs-short'],
    answer: of('run_code', ({ logs_preview: logs }) =>
      String(logs).length > 1000 ? { logs_preview: 'x'.repeat(5000) } : undefined,
    ),
  },
  'returns a large output completely': {
    breaks: ['run-code/output-small'],
    answer: of('run_code', ({ output }) =>
      (output as { truncated?: boolean } | null)?.truncated
        ? { output: { text: 'x'.repeat(20_000) } }
        : undefined,
    ),
  },
  'ignores time limits': {
    breaks: ['run-code/timeout'],
    answer: (answer, { params, method }) =>
      method === 'run_code' && params['limits']
        ? {
            jsonrpc: '2.0',
            id: answer.id,
            result: { status: 'completed', run_id: 'r', summary: 's' },
          }
        : answer,
  },
  'ignores the entrypoint': {
    breaks: ['run-code/entrypoint'],
    call: (call) => {
      if (call.method !== 'run_code') return call
      const { entrypoint: _, ...params } = call.params
      return { ...call, params }
    },
  },
  'runs code as root': {
    breaks: ['sandbox/user'],
    answer: of('run_code', (_, { params }) =>
      String(params['code']).includes('geteuid') ? { output: 0 } : undefined,
    ),
  },
  'lets code reach the network': {
    breaks: ['sandbox/network'],
    answer: of('run_code', (_, { params }) =>
      String(params['code']).includes('create_connection') ? { output: 'reached' } : undefined,
    ),
  },
  'exposes secrets to every run': {
    breaks: ['sandbox/secrets'],
    answer: of('run_code', (_, { params }) =>
      String(params['code']).includes('os.environ') ? { output: ['API_KEY'] } : undefined,
    ),
  },
  'omits output_blobs': {
    breaks: ['helpers/output-blobs'],
    answer: of('run_code', () => ({ output_blobs: [] })),
  },
  'has no create_skill': {
    breaks: ['create/offered'],
    answer: (answer, { method }) =>
      method === 'create_skill' ? { jsonrpc: '2.0', id: answer.id, error: ERROR(-32601) } : answer,
  },
}
