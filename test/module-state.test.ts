import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const SRC = fileURLToPath(new URL('../src/', import.meta.url))

/** Variables of modules that change, and why they may. All other state belongs to an instance. */
const ALLOWED: Readonly<Record<string, string>> = {
  'agent/compose.ts OVERVIEW_CACHE': 'texts of a list of skills, by that list',
  'agent/compose.ts RECOMMENDER_CACHE': 'an index of a list of skills, by that list',
  'core/tool-formats/tool-definition.ts SCHEMA_CACHE':
    'JSON Schemas by schemas, which are constants',
  'core/host-programs/kill-program-tree.ts exitCallbacks': 'from util/process-state.ts',
  'core/host-programs/load-execa.ts loaded': 'a module that is loaded where there is room for it',
  'core/installing/lock-file.ts lastParsed': 'a parsed lock, by its path and its bytes',
  'core/methods/hide-denied-skills.ts VIEWS':
    'the part of a repository that a policy shows, by that policy',
  'core/policy/match.ts COMPILED_LISTS': 'compiled patterns of a list, by that list',
  'core/policy/select-scopes.ts SCOPE_INDEXES': 'an index of a list of scopes, by that list',
  'core/runs/network/masked-secrets.ts standIns': 'a key that is drawn at the start',
  'core/runs/redaction/compile-patterns.ts last': 'compiled patterns, by their texts',
  'core/runs/redaction/invisible-text.ts INVISIBLE':
    'an expression built from parts, for replace()',
  'core/runs/redaction/invisible-text.ts PARTIAL': 'an expression built from parts, without a flag',
  'core/runs/redaction/invisible-text.ts SOME_INVISIBLE':
    'an expression built from parts, without a flag',
  'core/safety/code/derived.ts STARTS': 'an expression built from parts, without a flag',
  'core/safety/code/fold-code.ts CONCAT': 'an expression built from parts, for replace()',
  'core/safety/code/fold-code.ts DECODED': 'an expression built from parts, for replace()',
  'core/safety/code/fold-code.ts HEXED': 'an expression built from parts, for replace()',
  'core/safety/code/fold-code.ts REVERSED': 'an expression built from parts, for replace()',
  'core/safety/code/fold-code.ts ROTATED': 'an expression built from parts, for replace()',
  'core/safety/texts/markdown-passages.ts HIDING_RULE':
    'an expression built from parts, for matchAll()',
  'core/safety/texts/markdown-passages.ts STYLED': 'an expression built from parts, without a flag',
  'core/sandbox/cgroups/cgroup-version1.ts MEMORY_FILES_V1':
    'writes files, and changes nothing of itself',
  'core/sandbox/cgroups/cgroup-version2.ts MEMORY_FILES_V2':
    'writes files, and changes nothing of itself',
  'core/sandbox/egress/trust.ts last': 'a TLS context, by its certificates',
  'core/storage/quota.ts counted': 'from util/process-state.ts',
  'core/storage/quota.ts queues': 'from util/process-state.ts',
  'rpc/fast-path/cached-answers.ts RESULT_SUFFIXES': 'bytes of frozen results, by those results',
  'util/durable-file.ts requested': 'from util/process-state.ts',
  'util/durable-file.ts waiting': 'from util/process-state.ts',
  'util/slices/next-turn.ts waitingSlices': 'from util/process-state.ts',
  'util/random-bytes.ts randomSupply': 'from util/process-state.ts',
  'util/strip-colors.ts ESCAPES': 'an expression built from parts, for replaceAll()',
}

const CHANGES = 'set|add|delete|clear|push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin'
/** Classes whose values are constants unless they are changed where they stand. */
const PLAIN = new Set([
  'BlockList',
  'Intl',
  'Map',
  'Proxy',
  'Set',
  'SkillsError',
  'URL',
  'Uint8Array',
])
const DECLARED = /^(?:export )?(let|var|const) (?:\{ ([^}]*) \}|(\w+))/gm
const IMPORTED = /^import (?:type )?\{([^}]*)\} from '[^']*\/process-state\.ts'/gm

/** Names at the top level of a module that are assigned, or whose value is changed in the same module. */
function findChangingNames(text: string): string[] {
  const imported = [...text.matchAll(IMPORTED)].flatMap(([, names = '']) => listNames(names))
  const declared = [...text.matchAll(DECLARED)].flatMap(([, kind, some, one]) =>
    listNames(some ?? one ?? '').filter((name) => kind !== 'const' || isChanged(name, text)),
  )
  return [...declared, ...imported.filter((name) => isChanged(name, text))]
}

function listNames(list: string): string[] {
  return list
    .split(',')
    .map((each) => (each.split(/ as |:/).at(-1) ?? '').replace(/=.*/s, '').trim())
}

function isChanged(name: string, text: string): boolean {
  const made = new RegExp(`^(?:export )?const ${name}\\b[^=\\n]*= new (\\w+)`, 'm').exec(text)?.[1]
  if (made !== undefined && !PLAIN.has(made)) return true
  const [part, own] = [String.raw`(?:\??\.\w+|\[[^\]]*\])`, String.raw`(?<![\w.#'])${name}`]
  const called = String.raw`${own}${part}*?\??\.(?:${CHANGES})\(`
  const assigned = String.raw`${own}${part}+ (?:[-+*/|&?]{0,2}=) `
  const counted = String.raw`${own}${part}+(?:\+\+|--)|(?:\+\+|--|delete )${own}${part}`
  return new RegExp(`${called}|${assigned}|${counted}`).test(text)
}

it('modules have no state, except where it is allowed for a reason', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  const found = files
    // A page has one console, whose state is in signals of its modules.
    .filter((file) => file.endsWith('.ts') && !file.startsWith('console/'))
    .flatMap((file) =>
      findChangingNames(readFileSync(join(SRC, file), 'utf8')).map((name) => `${file} ${name}`),
    )
  expect(found.sort()).toEqual(Object.keys(ALLOWED).sort())
})

it.each([
  'let count = 0',
  'export var count = 0',
  'const known = new Map()\nfunction f() {\n  known.set(1, 2)\n}',
  'const known = { seen: [] }\nfunction f() {\n  known.seen.push(1)\n}',
  'const known = {}\nfunction f() {\n  known[1] = 2\n}',
  'const known = { count: 0 }\nfunction f() {\n  known.count++\n}',
  'const pool = new Pool()',
  'const { waiting } = shared\nfunction f() {\n  waiting.delete(1)\n}',
])('a module with %j has state', (text) => {
  expect(findChangingNames(text)).toHaveLength(1)
})

it.each([
  'const NAMES = new Set(["a"])\nexport const f = (name) => NAMES.has(name)',
  'function f() {\n  const known = new Map()\n  known.set(1, 2)\n}',
  'class Cache {\n  #known = new Map()\n  f() {\n    this.#known.set(1, 2)\n  }\n}',
])('a module with %j has none', (text) => {
  expect(findChangingNames(text)).toEqual([])
})
