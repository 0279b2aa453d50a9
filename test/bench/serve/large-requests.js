// Single requests that are as large as the limits of a server allow, each of another kind.
const MIB = 1024 ** 2
const MAX_BODY = 32 * MIB
const MAX_VALUES = 50_000
const ROOM = 1000

const encode = (method, params) =>
  Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
/** A call whose parameters contain `text` at the place of "@". */
const encodeAround = (method, params, text) => {
  const [before, after] = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }).split('"@"')
  return Buffer.concat([Buffer.from(before), Buffer.from(text), Buffer.from(after)])
}
const COUNT = 'def main(args):\n    return len(args)\n'
const code = (text) => ({ language: 'python', code: text })
const runWith = (args) => encode('run_code', { ...code(COUNT), args })
const runAround = (text) => encodeAround('run_code', { ...code(COUNT), args: { a: '@' } }, text)
const repeat = (text, bytes) => text.repeat(Math.floor(bytes / Buffer.byteLength(text)))
const fill = (count, make) => Array.from({ length: count }, (_, at) => make(at))
const keys = (count) => Object.fromEntries(fill(count, (at) => [`key${at}`, at]))
const quoted = (text) => `"${repeat(text, MAX_BODY - ROOM)}"`
const file = (at, content) => ({ path: `code/file${at}.py`, content })
const skill = (name, files) =>
  encode('create_skill', {
    manifest: { name, version: '1.0.0', description: 'Is large.', kind: 'instruction' },
    skill_md: '# Large\n',
    files,
  })
const tool = (name, params) => encode('tools/call', { name, arguments: params })
const mcp = {
  path: '/mcp',
  headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
}
const print = (line, count) =>
  encode('run_code', code(`def main(args):\n    for at in range(${count}):\n        ${line}\n`))

/** Each has a name, a function that makes its body, and where it is sent. */
export function largeRequests() {
  return [
    { name: 'a small run', body: () => runWith({ a: 1 }) },
    { name: 'many keys', body: () => runWith(keys(MAX_VALUES - 20)) },
    { name: 'ten times too many keys', body: () => runWith(keys(10 * MAX_VALUES)) },
    {
      name: 'many objects',
      body: () =>
        runWith({ rows: fill(MAX_VALUES / 3 - 10, (at) => ({ [`k${at}`]: 'text', b: at })) }),
    },
    {
      name: 'a skill with many keys',
      body: () => encode('execute_skill', { name: 'bench.echo', args: keys(MAX_VALUES - 20) }),
    },
    {
      name: 'many strings of 300 bytes',
      body: () => runWith({ a: fill(MAX_VALUES - 20, (at) => `${at}`.padEnd(300)) }),
    },
    { name: 'a long string', body: () => runAround(quoted('x')) },
    { name: 'a long string of escapes', body: () => runAround(quoted('\\n')) },
    { name: 'a long string of \\u escapes', body: () => runAround(quoted('\\u00e9')) },
    { name: 'a long string of two-byte text', body: () => runAround(quoted('é')) },
    { name: 'a long string of three-byte text', body: () => runAround(quoted('語')) },
    { name: 'a long string of digits', body: () => runAround(quoted(`${'1'.repeat(149)}a`)) },
    { name: 'a long number', body: () => runAround(`0.${repeat('1', MAX_BODY - ROOM)}`) },
    {
      name: 'long keys',
      body: () => runWith(Object.fromEntries(fill(300, (at) => [`${at}`.padEnd(100_000), 1]))),
    },
    { name: 'white space', body: () => runAround(repeat(' ', MAX_BODY - ROOM) + '1') },
    {
      name: 'deep nesting',
      body: () =>
        runAround(
          `[${fill(MAX_VALUES / 60 - 5, () => '['.repeat(58) + ']'.repeat(58)).join(',')}]`,
        ),
    },
    { name: 'too deep nesting', body: () => runAround(repeat('[', MAX_BODY - ROOM)) },
    {
      name: 'many mounted skills',
      body: () =>
        encode('run_code', {
          ...code(COUNT),
          mount_skills: fill(MAX_VALUES - 20, (at) => `no.such${at}`),
        }),
    },
    {
      name: 'many input blobs',
      body: () =>
        encode('run_code', {
          ...code(COUNT),
          input_blobs: fill(MAX_VALUES - 20, (at) => `blob:${String(at).padStart(32, '0')}`),
        }),
    },
    {
      name: 'long code',
      body: () => encode('run_code', code(`${COUNT}${repeat('# text\n', MIB - 100)}`)),
    },
    {
      name: 'too long code',
      body: () => encode('run_code', code(`${COUNT}${repeat('# text\n', 26 * MIB)}`)),
    },
    {
      name: 'a blob of text',
      body: () => encodeAround('create_blob', { content: '@', kind: 'text/plain' }, quoted('x')),
    },
    {
      name: 'a blob of base64',
      body: () =>
        encodeAround(
          'create_blob',
          { content: '@', kind: 'text/plain', encoding: 'base64' },
          quoted('eHh4'),
        ),
    },
    {
      name: 'a skill with 1,000 files',
      body: () =>
        skill(
          'large.many',
          fill(1000, (at) => file(at, repeat('x = 1\n', 22 * 1024))),
        ),
    },
    {
      name: 'a skill with one large file',
      body: () => skill('large.one', [file(1, repeat('x = 1\n', 26 * MIB))]),
    },
    {
      name: 'a skill with too many files',
      body: () =>
        skill(
          'large.files',
          fill(MAX_VALUES / 3 - 100, (at) => file(at, '')),
        ),
    },
    {
      name: 'a skill with a large manifest',
      body: () =>
        encode('create_skill', {
          manifest: {
            name: 'large.manifest',
            version: '1.0.0',
            description: 'Is large.',
            kind: 'instruction',
            ...keys(MAX_VALUES - 50),
          },
          skill_md: '# Large\n',
        }),
    },
    {
      name: 'a skill with a long SKILL.md',
      body: () =>
        encode('create_skill', {
          manifest: {
            name: 'large.md',
            version: '1.0.0',
            description: 'Is large.',
            kind: 'instruction',
          },
          skill_md: repeat('# Large\n', 25 * MIB),
        }),
    },
    {
      name: 'a batch of listings',
      body: () =>
        Buffer.from(
          JSON.stringify(fill(100, (id) => ({ jsonrpc: '2.0', id, method: 'list_skills' }))),
        ),
    },
    {
      name: 'a batch of full reads',
      body: () =>
        Buffer.from(
          JSON.stringify(
            fill(100, (id) => ({
              jsonrpc: '2.0',
              id,
              method: 'read_skill_file',
              params: { name: 'large.one', path: 'code/file1.py' },
            })),
          ),
        ),
    },
    {
      name: 'a batch of runs',
      body: () =>
        Buffer.from(
          JSON.stringify(
            fill(20, (id) => ({
              jsonrpc: '2.0',
              id,
              method: 'run_code',
              params: { ...code(COUNT), args: keys(4000) },
            })),
          ),
        ),
    },
    {
      name: 'a read of a large file',
      body: () => encode('read_skill_file', { name: 'large.one', path: 'code/file1.py' }),
    },
    {
      name: 'runtime.execute with long input',
      body: () =>
        encode('runtime.execute', {
          runtime: 'python',
          code: 'pass',
          stdin: repeat('text\n', 512 * 1024),
          args: fill(100, () => repeat('a', 20_000)),
        }),
    },
    {
      name: 'runtime.execute with the longest arguments',
      body: () =>
        encode('runtime.execute', {
          runtime: 'python',
          code: 'pass',
          args: fill(100, () => repeat('a', 131_000)),
        }),
    },
    { name: 'a run with much output', body: () => print('print("x" * 100)', 70_000) },
    { name: 'a run with many short lines', body: () => print('print(1)', 500_000) },
    {
      name: 'a run with many log messages',
      body: () => print('from runtime import log; log.info("x" * 50)', 100_000),
    },
    {
      name: 'a run with many blobs',
      body: () => print('from runtime import blobs; blobs.create("x", "text/plain")', 5000),
    },
    {
      name: 'a run with a large result',
      body: () => encode('run_code', code('def main(args):\n    return {"a": "x" * 50_000_000}\n')),
    },
    {
      name: 'a run with a result of many keys',
      body: () =>
        encode(
          'run_code',
          code('def main(args):\n    return {str(i): i for i in range(1_000_000)}\n'),
        ),
    },
    {
      name: 'MCP: many keys',
      ...mcp,
      body: () => tool('run_code', { ...code(COUNT), args: keys(MAX_VALUES - 20) }),
    },
    {
      name: 'MCP: many objects',
      ...mcp,
      body: () =>
        tool('run_code', {
          ...code(COUNT),
          args: { rows: fill(MAX_VALUES / 3 - 10, (at) => ({ [`k${at}`]: 'text', b: at })) },
        }),
    },
    {
      name: 'MCP: a long string',
      ...mcp,
      body: () =>
        encodeAround(
          'tools/call',
          { name: 'run_code', arguments: { ...code(COUNT), args: { a: '@' } } },
          quoted('x'),
        ),
    },
    {
      name: 'MCP: ten times too many keys',
      ...mcp,
      body: () => tool('run_code', { ...code(COUNT), args: keys(10 * MAX_VALUES) }),
    },
  ]
}
