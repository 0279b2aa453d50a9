import { randomBytes } from 'node:crypto'
import type { Requirement } from '../requirement.ts'
import { assertThat, formatValue } from '../assertions.ts'
import { assertErrorCode, type ConformanceSession } from '../session.ts'

const page = 'Execution Methods'
const NEEDS = ['run-code/completes', 'rpc/error-shape']

/** Languages that runtimes offer, with names under which they are known. */
const WELL_KNOWN =
  'bash c c# c++ clojure cobol cpp crystal csharp d dart deno elixir erlang f# fortran fsharp go groovy haskell java javascript js julia kotlin lisp lua node nodejs objective-c ocaml pascal perl php pl powershell prolog py python2 python3 python3.12 r racket ruby rust scala scheme sh shell sql swift tcl text ts typescript v vb wasm zig'.split(
    ' ',
  )

/** The specification's language, and those that an OpenRPC document declares in addition. */
async function readDeclared(session: ConformanceSession): Promise<readonly string[]> {
  const { json } = await session.call('rpc.discover')
  const { methods } = (json?.['result'] ?? {}) as { methods?: unknown }
  const found = Array.isArray(methods) ? methods.find(({ name }) => name === 'run_code') : undefined
  const { params } = (found ?? {}) as { params?: { name?: unknown; schema?: { enum?: unknown } }[] }
  const names = params?.find(({ name }) => name === 'language')?.schema?.enum
  const texts = Array.isArray(names) ? names.filter((each) => typeof each === 'string') : []
  return [...new Set(['python', ...texts])]
}

/** Spellings of a name that are other names. */
const varyName = (name: string) => [
  name.toUpperCase(),
  `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
  ` ${name}`,
  `${name} `,
  `${name}\n`,
]

export const LANGUAGES: readonly Requirement[] = [
  {
    id: 'run-code/language',
    level: 'must',
    page,
    text: 'A language that the runtime does not declare is refused with -32602, whatever its name',
    needs: NEEDS,
    async check(session) {
      const declared = await readDeclared(session)
      const others = new Set<unknown>([
        ...WELL_KNOWN,
        ...declared.flatMap(varyName),
        `made-up-${randomBytes(4).toString('hex')}`,
        '',
        5,
        ['python'],
      ])
      for (const name of declared) others.delete(name)
      for (const language of others) {
        const params = { language, code: 'def main(args):\n    return 1\n' }
        assertErrorCode(await session.expectError('run_code', params), -32602)
      }
    },
  },
  {
    id: 'run-code/declared-languages',
    level: 'must',
    page,
    text: 'A language that the runtime declares is accepted',
    needs: NEEDS,
    async check(session) {
      for (const language of await readDeclared(session)) {
        const { json, text } = await session.call('run_code', { language, code: '' })
        const { code } = (json?.['error'] ?? {}) as { code?: unknown }
        assertThat(
          json !== undefined && code !== -32602 && code !== -32601,
          `Expected ${formatValue(language)} to be accepted, got ${formatValue(json?.['error'] ?? text)}`,
        )
      }
    },
  },
]
