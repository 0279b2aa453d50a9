import { sendJson } from '../helpers/raw-server.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import type { Tree } from '../helpers/skills.ts'
import { ERROR, of, type Fault, type Call } from './fault.ts'

/** Violations that show only in one method, after an earlier check, or in later data. */
export const HIDDEN_FAULTS: Record<string, Fault> = {
  'stores no created skill, after it was checked before': {
    breaks: ['create/persisted'],
    isCheckedBefore: true,
    instead: (_, response, call) => {
      const { manifest, files } = (call?.params ?? {}) as {
        manifest?: { name?: string; version?: string }
        files?: { path: string }[]
      }
      if (call?.method !== 'create_skill' || manifest?.name === undefined) return false
      if (files?.some(({ path }) => path.includes('..'))) return false
      const { name, version } = manifest
      sendJson(response, { jsonrpc: '2.0', id: call.id, result: { name, version } })
      return true
    },
  },
  'adds an empty error to the results of some methods': {
    breaks: ['responses/envelope'],
    answer: (answer, { method }) =>
      answer.result && method === 'create_blob' ? { ...answer, error: null as never } : answer,
  },
  'answers runs as HTML': {
    breaks: ['responses/content-type'],
    contentType: ({ method }) => (method === 'run_code' ? 'text/html' : undefined),
  },
  'answers runs without an id': {
    breaks: ['responses/envelope'],
    answer: (answer, { method }) => (method === 'run_code' ? { ...answer, id: null } : answer),
  },
  'answers runs with JSON-RPC 1.0': {
    breaks: ['responses/envelope'],
    answer: (answer, { method }) =>
      method === 'run_code' ? { ...answer, jsonrpc: '1.0' } : answer,
  },
  'returns texts as error codes': {
    breaks: ['responses/envelope'],
    answer: (answer, { method }) =>
      answer.error && method === 'create_skill'
        ? { ...answer, error: { ...answer.error, code: 'INVALID' as never } }
        : answer,
  },
  'loses the resources of created skills': {
    breaks: ['create/persisted'],
    answer: (answer, { method, params }) =>
      method === 'read_skill_file' && String(params['path']).startsWith('resources/deep')
        ? { jsonrpc: '2.0', id: answer.id, error: ERROR(-32602) }
        : answer,
  },
  'changes line ends of created files': {
    breaks: ['create/persisted'],
    answer: of('read_skill_file', ({ content }) => ({
      content: String(content).replaceAll('\r\n', '\n'),
    })),
  },
  'mounts skills without their resources': {
    breaks: ['execute/own-files'],
    answer: of('execute_skill', ({ output }, { params }) => {
      if ((params['args'] as { do?: unknown } | undefined)?.do !== 'files') return undefined
      const files = Object.entries(output as Record<string, unknown>)
      const kept = files.filter(([path]) => !path.startsWith('resources/'))
      return { output: Object.fromEntries(kept) }
    }),
  },
  'does not list created skills': {
    breaks: ['create/listed'],
    answer: of('list_skills', ({ skills: listed }) => ({
      skills: (listed as { name: string }[]).filter(({ name }) => !name.startsWith('conformance')),
    })),
  },
  'accepts every spelling of a language': {
    breaks: ['run-code/language'],
    call: (call) =>
      call.method === 'run_code' && typeof call.params['language'] === 'string'
        ? { ...call, params: { ...call.params, language: call.params['language'].toLowerCase() } }
        : call,
  },
  'runs Ruby as Python': {
    breaks: ['run-code/language'],
    call: (call) =>
      call.method === 'run_code' && call.params['language'] === 'ruby'
        ? { ...call, params: { ...call.params, language: 'python' } }
        : call,
  },
  'runs code without a language as Python': {
    breaks: ['run-code/language'],
    call: (call) =>
      call.method === 'run_code' && call.params['language'] === ''
        ? { ...call, params: { ...call.params, language: 'python' } }
        : call,
  },
  'refuses a language that it declares': {
    breaks: ['run-code/declared-languages'],
    answer: (answer, { method, params }) =>
      method === 'run_code' && params['language'] === 'node'
        ? { jsonrpc: '2.0', id: answer.id, error: ERROR(-32602) }
        : answer,
  },
  'fails every run with a time limit': {
    breaks: ['run-code/timeout'],
    answer: of('run_code', (_, { params }) =>
      params['limits']
        ? { status: 'failed', error: { type: 'Timeout', message: 'No' } }
        : undefined,
    ),
  },
  'fails every run of a skill with a time limit': {
    breaks: ['execute/timeout'],
    answer: of('execute_skill', (_, { params }) =>
      params['timeout_ms']
        ? { status: 'failed', error: { type: 'Timeout', message: 'No' } }
        : undefined,
    ),
  },
  'gives every run of a skill the same id': {
    breaks: ['execute/fields'],
    answer: of('execute_skill', () => ({ run_id: 'run_1' })),
  },
  'drops the logs of skills': {
    breaks: ['execute/logs'],
    answer: of('execute_skill', () => ({ logs_preview: '' })),
  },
  'omits the type of the error of a skill': {
    breaks: ['execute/failure'],
    answer: of('execute_skill', ({ error }) =>
      error ? { error: { message: (error as { message: string }).message } } : undefined,
    ),
  },
  'ignores max_bytes of samples': {
    breaks: ['blob/head', 'blob/tail'],
    call: (call) =>
      call.method === 'read_blob' && call.params['mode'] !== undefined
        ? { ...call, params: { ...call.params, max_bytes: 2000 } }
        : call,
  },
  'overwrites the last blob': {
    breaks: ['blob/separate'],
    ...(() => {
      let last: unknown
      return {
        answer: of('create_blob', ({ blob_id: id }) => {
          last = id
          return { blob_id: 'blob:the-only-one' }
        }),
        call: (call: Call) =>
          call.params?.['blob_id'] === 'blob:the-only-one'
            ? { ...call, params: { ...call.params, blob_id: last } }
            : call,
      }
    })(),
  },
  'describes another version than requested': {
    breaks: ['describe/version'],
    answer: of('describe_skill', ({ skill }, { params }) => {
      const { manifest } = skill as { manifest: object }
      if (params['version'] === undefined) return undefined
      return { skill: { ...(skill as object), manifest: { ...manifest, version: '9.9.9' } } }
    }),
  },
  'lists no skill of any namespace': {
    breaks: ['list/namespace'],
    answer: of('list_skills', (_, { params }) =>
      params['namespace'] ? { skills: [] } : undefined,
    ),
  },
  'loses a skill with a long name between pages': {
    breaks: ['list/pages'],
    skills: Object.assign(
      {},
      ...['a', 'b', 'c', 'd'].map((letter) =>
        prefixPaths(`skills/${letter}`, createActionSkill(`a.${letter.repeat(60)}`)),
      ),
    ) as Tree,
    answer: of('list_skills', ({ skills: listed }, { params }) =>
      params['limit'] === 1
        ? {
            skills: (listed as { name: string }[]).map((each) =>
              each.name.includes('cc') ? { ...each, name: 'a.other' } : each,
            ),
          }
        : undefined,
    ),
  },
  'reads files of a version that does not exist': {
    breaks: ['read-file/missing'],
    call: (call) => {
      if (call.method !== 'read_skill_file') return call
      const { version: _, ...params } = call.params
      return { ...call, params }
    },
  },
}
