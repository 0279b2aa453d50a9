import { isDeepStrictEqual } from 'node:util'
import { readToml } from '../../../src/core/skills/manifest/toml-source.ts'
import { listTextsWithValue } from '../../../src/core/config/edit/set-toml.ts'
import { removeTomlValue } from '../../../src/core/config/edit/unset-toml.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { expectThat } from './expect.ts'

const PATH = ['serve', 'port']

/** Configuration files that `skills config` edits: other values stay. */
export const target: FuzzTarget = {
  name: 'toml-edit',
  format: 'text',
  seeds: [
    '# top\nbackend = "auto"\n\n[serve]\nport = 1 # here\nhost = "a"\n\n[run.limits]\nmemory = "1g"\n',
    'serve = { port = 1, host = "b" }\n[[a]]\nb = 1\n',
    'serve.port = 2\r\nserve.host = "c"\r\n',
  ],
  words: [
    '[serve]\n',
    'port = 3\n',
    'serve.',
    '"port"',
    '{ ',
    ' }',
    ', ',
    '#',
    '[[x]]\n',
    '"""\n',
    '= ',
  ],
  open: (isPlanted) => (input) => {
    const text = input.toString('utf8')
    const before = readToml('c.toml', text)
    if (before.problem) return
    for (const each of readTexts(text)) {
      const { data, problem } = readToml('c.toml', each)
      if (problem || !isDeepStrictEqual(readPort(data), 8443)) continue
      // The planted bug: the first table that follows is lost.
      const rest = isPlanted && 'a' in data ? { ...data, a: 0 } : data
      expectThat(isSameWithout(rest, before.data), 'other values are unchanged')
      // Callers use the first valid text only.
      break
    }
    const without = tryRange(() => removeTomlValue(text, PATH))
    if (without === undefined) return
    const { data, problem } = readToml('c.toml', without)
    if (!problem) expectThat(readPort(data) === undefined, 'the value is removed')
  },
}

function readTexts(text: string): string[] {
  return tryRange(() => [...listTextsWithValue(text, { path: PATH, value: '8443' })]) ?? []
}

/** The parser of positions overflows the stack on deep texts, which callers report. */
function tryRange<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function readPort(data: object): unknown {
  const serve = (data as { serve?: { port?: unknown } }).serve
  return typeof serve === 'object' && serve !== null ? serve.port : undefined
}

/** Compares without the port; a table without other values may be absent. */
function isSameWithout(a: object, b: object): boolean {
  const strip = (data: object): unknown => {
    const { serve, ...rest } = JSON.parse(JSON.stringify(data)) as { serve?: { port?: unknown } }
    if (typeof serve !== 'object' || serve === null)
      return JSON.parse(JSON.stringify({ ...rest, serve }))
    const { port: _, ...others } = serve
    return { ...rest, ...(Object.keys(others).length > 0 && { serve: others }) }
  }
  return isDeepStrictEqual(strip(a), strip(b))
}
