import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { findMethod } from '../../helpers/method.ts'

const blob = 'blob:sheet-123'
const execute = {
  name: 'salesforce.leads.sync',
  version: '0.1.0',
  args: { sheet_blob: blob, env: 'prod' },
  input_blobs: [blob],
  timeout_ms: 300_000,
}
const code = {
  language: 'python',
  code: 'def main(args):\n    return 1\n',
  entrypoint: 'main',
  args: { sheet_blob: blob },
  mount_skills: ['salesforce.leads.sync'],
  input_blobs: [blob],
  limits: { timeout_ms: 300_000 },
}
const { entrypoint, ...codeWithoutEntrypoint } = code

type Name = 'execute_skill' | 'run_code'

describe('the parameters', () => {
  it.each<[Name, object, object]>([
    ['execute_skill', execute, execute],
    ['execute_skill', { name: 'a' }, { name: 'a' }],
    ['run_code', code, code],
    ['run_code', codeWithoutEntrypoint, { ...codeWithoutEntrypoint, entrypoint }],
  ])('of %s accept %j', (name, given, read) => {
    expect(findMethod(name).params.parse(given)).toEqual(read)
  })

  it.each<[Name, object, string]>([
    ['execute_skill', {}, 'name'],
    ['execute_skill', { ...execute, args: [] }, 'args'],
    ['execute_skill', { ...execute, args: 'x' }, 'args'],
    ['execute_skill', { ...execute, input_blobs: blob }, 'input_blobs'],
    ['execute_skill', { ...execute, timeout_ms: 0 }, 'timeout_ms'],
    ['execute_skill', { ...execute, timeout_ms: 1.5 }, 'timeout_ms'],
    ['execute_skill', { ...execute, timeout_ms: '5' }, 'timeout_ms'],
    ['run_code', { language: 'python' }, 'code'],
    ['run_code', { ...code, language: 'ruby' }, 'language'],
    ['run_code', { ...code, mount_skills: [1] }, 'mount_skills.0'],
    ['run_code', { ...code, limits: { timeout_ms: -1 } }, 'limits.timeout_ms'],
  ])('of %s reject %j because of %s', (name, given, path) => {
    const { error } = findMethod(name).params.safeParse(given)
    expect(error?.issues.map((issue) => issue.path.join('.'))).toEqual([path])
  })

  it.each<[Name, object, string]>([
    ['execute_skill', { ...execute, arguments: {} }, 'arguments'],
    ['run_code', { ...code, limits: { memory: 1 } }, 'memory'],
  ])('of %s reject %j, naming "%s"', (name, given, key) => {
    const { error } = findMethod(name).params.safeParse(given)
    expect(error?.issues).toMatchObject([{ code: 'unrecognized_keys', keys: [key] }])
  })

  it('pass arguments through unchanged', () => {
    const args = JSON.parse('{"__proto__": {"x": 1}, "a": {"__proto__": 2}}') as object
    const read = findMethod('execute_skill').params.parse({ name: 'a', args })
    expect(JSON.stringify((read as typeof execute).args)).toBe(
      '{"__proto__":{"x":1},"a":{"__proto__":2}}',
    )
  })

  it.each<[Name, object, string[]]>([
    [
      'execute_skill',
      {
        name: { type: 'string' },
        version: { type: 'string' },
        args: { type: 'object' },
        input_blobs: { type: 'array', items: { type: 'string' } },
        timeout_ms: { type: 'integer' },
      },
      ['name'],
    ],
    [
      'run_code',
      {
        language: { type: 'string', enum: ['python', 'node', 'typescript', 'shell'] },
        code: { type: 'string' },
        entrypoint: { type: 'string', default: 'main' },
        args: { type: 'object' },
        mount_skills: { type: 'array', items: { type: 'string' } },
        input_blobs: { type: 'array', items: { type: 'string' } },
        limits: { type: 'object', properties: { timeout_ms: { type: 'integer' } } },
      },
      ['language', 'code'],
    ],
  ])('of %s have the schema of the protocol, and ours', (name, own, required) => {
    const string = { type: 'string' }
    const ofSessions = name === 'run_code' ? { kernel: string, session: string } : {}
    const properties = { ...own, detach: { type: 'boolean' }, ...ofSessions }
    const schema = z.toJSONSchema(findMethod(name).params, { io: 'input' })
    expect(schema).toMatchObject({ type: 'object', properties, required })
    expect(Object.keys(schema.properties ?? {})).toEqual(Object.keys(properties))
    for (const each of Object.values(schema.properties ?? {})) {
      expect((each as { description?: string }).description).toMatch(/\w+ \w+/)
    }
  })
})

describe('the results', () => {
  const finished = {
    run_id: 'run_9f2a',
    summary: 'Done',
    output_blobs: [],
    logs_preview: '',
    isolation: null,
    duration_ms: 3,
  }

  it.each([
    { ...finished, status: 'completed', output: null },
    { ...finished, status: 'failed', error: { type: 'Timeout', message: 'Too slow' } },
  ])('match their schema: %j', (result) => {
    expect(findMethod('execute_skill').result.parse(result)).toEqual(result)
    expect(z.toJSONSchema(findMethod('run_code').result)).toMatchObject({ type: 'object' })
  })

  it('do not match it with another status', () => {
    expect(findMethod('run_code').result.safeParse({ ...finished, status: 'ok' }).success).toBe(
      false,
    )
  })
})
