import { describe, expect, it } from 'vitest'
import { openCodeParsers } from '../../../../src/core/lint/code/code-parsers.ts'
import type { CodeFacts, ParsedLanguage } from '../../../../src/core/lint/code/code-facts.ts'
import { once } from '../../../../src/util/once.ts'

const PATHS = { javascript: 'a.js', typescript: 'a.ts', shell: 'a.sh' } as const

const loadParsers = once(async () => {
  const parsers = openCodeParsers()
  await parsers.load(new Set(['javascript', 'typescript', 'shell']))
  return parsers
})

async function parse(language: ParsedLanguage, text: string, path: string = PATHS[language]) {
  return (await loadParsers()).parse(language, path, text)
}

async function readFacts(
  language: ParsedLanguage,
  text: string,
  path?: string,
): Promise<CodeFacts> {
  const parsed = await parse(language, text, path)
  if ('failure' in parsed) throw new Error(parsed.failure)
  return parsed
}

describe('valid code', () => {
  it.each<[string, ParsedLanguage, string[]]>([
    ['CommonJS with a return', 'javascript', ['if (x) return\nmodule.exports = 1\n']],
    ['an octal literal of CommonJS', 'javascript', ['module.exports = 010\n', 'a.cjs']],
    ['a module with await', 'javascript', ['#!/usr/bin/env node\nexport const x = await 1\n']],
    ['attributes', 'javascript', ['import a from "./a.json" with { type: "json" }\n']],
    ['a flag of expressions', 'javascript', ['export const x = /[\\p{L}--a]/v\n']],
    [
      'types of all kinds',
      'typescript',
      [
        'import type { A } from "a"\nexport type B = A\nabstract class C<T> { declare x: T; readonly y = 1 }\n',
      ],
    ],
    [
      'declarations without values',
      'typescript',
      ['declare enum E { a }\nnamespace N { export type T = 1 }\n'],
    ],
    [
      'constructs that a run compiles',
      'typescript',
      [
        'enum A { b }\nnamespace N { export const c = 1 }\nclass C { constructor(readonly d: number) {} }\nfunction sealed(e: unknown) { return e }\nclass D { @sealed f() {} }\nimport fs = require("node:fs")\nexport const g = <string>fs.sep\n',
      ],
    ],
    [
      'operators of types',
      'typescript',
      ['const x = { a: 1 } as const satisfies object\nexport default x!\n'],
    ],
    [
      'CommonJS in TypeScript',
      'typescript',
      ['const a: number = require("a")\nmodule.exports = a\n', 'a.cts'],
    ],
    ['a here-document', 'shell', ['cat <<EOF\n$(( 1 + 2 )) `date` "\nEOF\n']],
    ['arrays and conditions', 'shell', ['a=(1 2); [[ $x =~ ^a(b|c)$ ]] && echo "${a[@]:1}"\n']],
    ['a case with patterns', 'shell', ['case $1 in -h|--help) ;; *.t?r) echo;& esac\n']],
  ])('has no problem: %s', async (_, language, [text = '', path]) => {
    expect((await readFacts(language, text, path)).problem).toBeUndefined()
  })
})

describe('facts', () => {
  it('leave out what is expected to fail, is not read, or is not a request', async () => {
    const facts = await readFacts(
      'javascript',
      `try { await import('sharp') } catch {}
import('canvas').catch(() => {})
process.env.TZ = 'UTC'
delete process.env.CI
const docs = 'https://docs.example.com'
const cache = new Map([['https://a.example.com', 1]]).get('https://a.example.com')
await fetch('/relative')
`,
    )
    expect(facts.imports.filter((each) => !each.isOptional)).toEqual([])
    expect([facts.environment, facts.requests]).toEqual([[], []])
  })

  it('leave out the modules of a bundle', async () => {
    const bundle = '({ 1: [function (require, module) { require("./missing") }] })\n'
    expect((await readFacts('javascript', bundle)).imports).toEqual([])
  })

  it('leave out a host that is not complete', async () => {
    const text =
      'await fetch(`https://${region}.example.com/`)\nawait fetch("https://api" + rest)\n'
    expect((await readFacts('javascript', text)).requests.map((each) => each.origin)).toEqual([
      undefined,
      undefined,
    ])
  })

  it('leave out variables that a script sets itself', async () => {
    const text = `read -r NAME; for ITEM in a; do echo "$NAME $ITEM $RANDOM \${LEVEL:=1} $LEVEL"; done
local_name=1; printf -v LINE x; echo "$LINE $lower $1 \${!REF}"; export TOKEN_FILE=/tmp/x; cat "$TOKEN_FILE"
`
    const { environment } = await readFacts('shell', text)
    expect(environment.map(({ name }) => name)).toEqual([])
  })

  it('leave out variables whose names a script passes to its own function', async () => {
    const text = `ask() { eval "$2=x"; }\nask 'Title?' TITLE\necho "$TITLE $OTHER"\n`
    const { environment } = await readFacts('shell', text)
    expect(environment.map(({ name }) => name)).toEqual(['OTHER'])
  })

  it.each<[ParsedLanguage, string]>([
    ['javascript', 'const a = process.env.KEY ?? "none"\nconst b = process.env.KEY\n'],
    ['shell', 'a="${KEY:-none}"\nb="$KEY"\n'],
  ])('distinguish a variable with a default in %s', async (language, text) => {
    const { environment } = await readFacts(language, text)
    expect(environment.map(({ hasDefault }) => hasDefault)).toEqual([true, false])
  })
})

describe('hostile code', () => {
  it.each<[string, ParsedLanguage, string]>([
    ['brackets in JavaScript', 'javascript', '['.repeat(50_000)],
    ['braces in TypeScript', 'typescript', '{'.repeat(50_000)],
    ['sums in TypeScript', 'typescript', `x = ${'a+'.repeat(50_000)}a`],
    ['calls in TypeScript', 'typescript', 'f('.repeat(20_000)],
  ])('nested too deeply, %s, is a failure of that file alone', async (_, language, text) => {
    expect(await parse(language, text)).toHaveProperty('failure')
    expect((await readFacts('typescript', 'let a: 1 = 1\n')).problem).toBeUndefined()
  })

  it('in Bash ends, and does not hang', async () => {
    expect(await readFacts('shell', '$('.repeat(20_000))).toHaveProperty('problem')
    expect(await readFacts('shell', '{ '.repeat(20_000))).toHaveProperty('problem')
  })

  it('of many constructs that are more than types is limited', async () => {
    const write = (count: number) =>
      Array.from({ length: count }, (_, at) => `enum E${at} { a }\n`).join('')
    expect(await readFacts('typescript', `${write(100)}eval()`)).toMatchObject({
      problem: undefined,
    })
    expect(await parse('typescript', write(500))).toHaveProperty('failure')
  })
})
