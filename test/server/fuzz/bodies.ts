import fc, { type Arbitrary } from 'fast-check'

/** Texts known to break servers. */
const HOSTILE_TEXTS = [
  '',
  ' ',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'toString',
  '../../etc/passwd',
  '/etc/passwd',
  '..\\..\\x',
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  '\ufeff{}',
  '\u202eevil',
  '%2e%2e%2f',
  '$(id)',
  "'; --",
  'blob:',
  'blob:00000000000000000000000000000000',
  'blob:../../x',
  'demo.note@0.1.0',
  'x'.repeat(300),
  '.'.repeat(200),
  'a.'.repeat(100),
] as const

/** Placeholders for numbers that JSON.stringify cannot write; replaced in the text. */
const NUMBERS: Readonly<Record<string, string>> = {
  '"\u0001huge"': '1e999',
  '"\u0001long"': `1${'0'.repeat(400)}`,
  '"\u0001tiny"': '1e-999',
  '"\u0001wide"': '12345678901234567890',
  '"\u0001zero"': '-0',
  '"\u0001half"': '2.5',
  '"\u0001deep"': `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
}
const SENTINELS = ['huge', 'long', 'tiny', 'wide', 'zero', 'half', 'deep'].map(
  (name) => `\u0001${name}`,
)

const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
  { weight: 2, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
)

const scalar: Arbitrary<unknown> = fc.oneof(
  text,
  fc.integer(),
  fc.double(),
  fc.constantFrom(null, true, false, ...SENTINELS),
)

/** Generates nesting of various depths, sometimes near the limit. */
const deep = fc
  .tuple(fc.constantFrom(1, 5, 30, 60, 61, 62, 63, 64, 65, 200), fc.boolean())
  .map(([levels, isArray]) => {
    let value: unknown = 1
    for (let level = 0; level < levels; level++) value = isArray ? [value] : { a: value }
    return value
  })

const anything: Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  { weight: 2, arbitrary: fc.dictionary(text, scalar, { maxKeys: 3 }) },
  { weight: 1, arbitrary: fc.constant(JSON.parse('{"__proto__":{"name":"x","jsonrpc":"2.0"}}')) },
  { weight: 1, arbitrary: deep },
)

/** Parameters of each method. No name here can be executed, so that no sandbox starts. */
const name = fc.constantFrom(
  'demo.note',
  'skills.protocol.guide',
  'no.such',
  'demo',
  '',
  'DEMO.NOTE',
)
const version = fc.constantFrom('0.1.0', '9.9.9', 'latest', 'v1', '')
const blobs = fc.array(fc.constantFrom('blob:x', 'blob:00000000000000000000000000000000', ''), {
  maxLength: 3,
})
const args = fc.dictionary(text, anything, { maxKeys: 3 })
const VALID: Readonly<Record<string, Readonly<Record<string, Arbitrary<unknown>>>>> = {
  list_skills: {
    namespace: fc.constantFrom('demo', 'no', ''),
    detail: fc.constantFrom('names', 'summary'),
    limit: fc.integer({ min: -1, max: 600 }),
    cursor: fc.oneof(text, fc.constant(Buffer.from('["a","b","1.0.0"]').toString('base64url'))),
  },
  describe_skill: { name, version, detail: fc.constantFrom('manifest', 'summary', 'full') },
  read_skill_file: {
    name,
    version,
    path: fc.oneof(text, fc.constantFrom('SKILL.md', 'code', 'skill.toml', './SKILL.md')),
  },
  execute_skill: { name, version, args, input_blobs: blobs, timeout_ms: fc.integer() },
  run_code: {
    language: fc.constantFrom('python', 'ruby', 'PYTHON'),
    code: text,
    entrypoint: text,
    args,
    mount_skills: fc.constantFrom(['no.such'], ['no.such', 'demo.note'], ['']),
    input_blobs: blobs,
    limits: fc.dictionary(fc.constantFrom('timeout_ms', 'x'), scalar, { maxKeys: 2 }),
  },
  create_blob: { content: anything, kind: fc.constantFrom('nonsense', '', 'text/', 'a/b\r\nx: y') },
  read_blob: {
    blob_id: fc.oneof(text, fc.constant('blob:00000000000000000000000000000000')),
    mode: fc.constantFrom('sample_head', 'sample_tail', 'full', 'all'),
    max_bytes: fc.integer(),
  },
  load_skills_protocol_guide: {},
  create_skill: {
    manifest: fc.record({
      name: fc.oneof(text, name),
      version: fc.oneof(text, version),
      description: text,
      kind: fc.constantFrom('instruction', 'action', 'nothing'),
      permissions: anything,
      extra: anything,
    }),
    skill_md: text,
    files: fc.array(fc.record({ path: text, content: fc.oneof(text, scalar) }), { maxLength: 3 }),
  },
  'rpc.discover': {},
}
/** Reduced to one in ten, because these read whole files and are easy to implement correctly. */
const EXPENSIVE = new Set(['describe_skill', 'load_skills_protocol_guide', 'rpc.discover'])
const METHODS = Object.keys(VALID).flatMap((method) =>
  EXPENSIVE.has(method) ? [method] : [method, method, method, method],
)
/** Without this parameter, a call of run_code would run. */
const REQUIRED_PARAMS = new Set(['mount_skills'])

type Params = Record<string, unknown>

function generateParams(method: string): Arbitrary<unknown> {
  const valid = VALID[method] ?? {}
  const keys = Object.keys(valid).filter((key) => !REQUIRED_PARAMS.has(key))
  const base = fc.record(valid)
  const change = fc.oneof(
    fc.constant((params: Params) => params),
    fc
      .tuple(fc.constantFrom('', ...keys), anything)
      .map(([key, value]) => (params: Params): Params => ({ ...params, [key]: value })),
    fc.constantFrom('', ...keys).map((key) => (params: Params): Params => {
      const { [key]: _, ...rest } = params
      return rest
    }),
    fc.tuple(text, anything).map(([key, value]) => (params: Params): Params => {
      const more = JSON.parse(
        `{${JSON.stringify(key)}:${JSON.stringify(value) ?? 'null'}}`,
      ) as Params
      return REQUIRED_PARAMS.has(key)
        ? params
        : Object.defineProperties({ ...params }, Object.getOwnPropertyDescriptors(more))
    }),
    anything.map((value) => (params: Params): Params => ({ ...params, _meta: value })),
  )
  return fc.tuple(base, change).map(([params, apply]) => apply(params))
}

const id = fc.oneof(
  { weight: 6, arbitrary: fc.oneof(fc.string({ maxLength: 5 }), fc.integer(), fc.constant(null)) },
  { weight: 1, arbitrary: anything },
)

const CALLS = new Map(Object.keys(VALID).map((method) => [method, generateParams(method)]))

const call: Arbitrary<unknown> = fc
  .constantFrom(...METHODS)
  .chain((method) =>
    fc.tuple(
      fc.record({ id, method: fc.constant(method), params: CALLS.get(method) ?? anything }),
      fc.integer({ min: 0, max: 30 }),
      anything,
    ),
  )
  .map(([message, change, value]) => {
    const whole: Record<string, unknown> = { jsonrpc: '2.0', ...message }
    if (change === 0) delete whole['jsonrpc']
    else if (change === 1) whole['jsonrpc'] = value
    else if (change === 2) delete whole['method']
    else if (change === 3) whole['method'] = value
    else if (change < 8) delete whole['id']
    else if (change === 8 && message.method !== 'run_code') delete whole['params']
    else if (change === 9 && message.method !== 'run_code') whole['params'] = value
    else if (change === 10) whole[typeof value === 'string' ? value : '__proto__'] = value
    return whole
  })

const batch = fc.array(
  fc.oneof({ weight: 6, arbitrary: call }, { weight: 1, arbitrary: anything }),
  {
    maxLength: 6,
  },
)

/** One generated body: text, or bytes that may not be valid text. */
export type Body = string | Uint8Array

const json: Arbitrary<string> = fc
  .oneof(
    { weight: 10, arbitrary: call },
    { weight: 2, arbitrary: batch },
    { weight: 1, arbitrary: anything },
  )
  .map((value) => {
    const written = JSON.stringify(value) ?? 'null'
    return written.replace(
      /"\\u0001[a-z]{4}"/g,
      (found) => NUMBERS[JSON.stringify(JSON.parse(found)).replace('\\u0001', '\u0001')] ?? found,
    )
  })

/** Valid JSON that is then damaged. */
const damaged: Arbitrary<Body> = fc
  .tuple(
    json,
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.integer({ min: 0, max: 5 }),
    fc.nat(255),
  )
  .map(([whole, position, kind, byte]) => {
    const at = Math.floor(whole.length * position)
    if (kind === 0) return whole.slice(0, at)
    if (kind === 1) return whole.slice(at)
    if (kind === 2) return whole + whole
    const bytes = Buffer.from(whole)
    const spot = Math.floor(bytes.length * position)
    if (kind === 3) bytes[spot] = byte
    if (kind === 4)
      return Buffer.concat([bytes.subarray(0, spot), Buffer.from([byte]), bytes.subarray(spot)])
    if (kind === 5) return `\ufeff${whole}`
    return bytes
  })

/** Request bodies. Most are nearly valid, because plainly invalid ones are rejected early. */
export const bodies: Arbitrary<Body> = fc.oneof(
  { weight: 12, arbitrary: json },
  { weight: 3, arbitrary: damaged },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
)
