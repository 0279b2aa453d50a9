import { createRequire } from 'node:module'
import type { Node, ParseError } from 'jsonc-parser'
import { SkillsError } from '../../errors.ts'
import type { Edit } from './edit.ts'
import { isOurs, notOurs } from './is-ours.ts'
import { addMember, replaceValue, styleOf } from './json-text.ts'

const require = createRequire(import.meta.url)

type Table = Readonly<Record<string, unknown>>

/** Puts a server into JSON, with or without comments; nothing else of the text is touched. */
export function editJson(text: string, edit: Edit): string {
  const bare = text.replace(/^\uFEFF/, '')
  const mark = text.slice(0, text.length - bare.length)
  if (bare.trim() === '') return `${mark}${edited('{}', edit)}\n`
  return mark + edited(bare, edit)
}

function edited(text: string, { client, name, entry, file }: Edit): string {
  const before = read(text, file)
  const servers = tableAt(before, client.key, { file, path: client.key })
  const isKnown = Object.hasOwn(servers, name)
  const known = tableAt(servers, name, { file, path: `${client.key}.${name}` })
  if (isKnown && !isOurs(known)) throw notOurs(name, file)
  const wanted: Table = { ...(client.isTyped && { type: 'stdio' }), ...entry }
  const after = isKnown
    ? change(text, [client.key, name], wanted)
    : add(text, [client.key, name], wanted)
  const expected = { ...before, [client.key]: { ...servers, [name]: { ...known, ...wanted } } }
  // Such as the same key twice, of which some readers take the first and some the last.
  if (!isSame(read(after, file), expected)) throw broken(file, 'a key stands in it twice')
  return after
}

/** Adds a member below the nearest object that is there. */
function add(text: string, [key, name]: [string, string], value: Table): string {
  const servers = nodeAt(text, [key])
  if (servers) return addMember(text, servers, { key: name, value, style: styleOf(text) })
  const root = nodeAt(text, [])
  if (!root) return text
  return addMember(text, root, { key, value: { [name]: value }, style: styleOf(text) })
}

/** Changes what differs; what else stands in the entry, such as variables, stays. */
function change(text: string, path: [string, string], wanted: Table): string {
  let after = text
  for (const [key, value] of Object.entries(wanted)) {
    const style = styleOf(after)
    const node = nodeAt(after, [...path, key])
    const entry = nodeAt(after, path)
    if (node) after = replaceValue(after, node, { value, style })
    else if (entry) after = addMember(after, entry, { key, value, style })
  }
  return after
}

/** What clients that read comments read as well. */
const LENIENT = { allowTrailingComma: true, disallowComments: false }

function nodeAt(text: string, path: string[]): Node | undefined {
  const { parseTree, findNodeAtLocation } = library()
  const root = parseTree(text, [], LENIENT)
  return root && findNodeAtLocation(root, path)
}

function read(text: string, file: string): Table {
  const { parse, printParseErrorCode } = library()
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, LENIENT)
  const [error] = errors
  if (error) {
    const line = text.slice(0, error.offset).split('\n').length
    const what = printParseErrorCode(error.error).replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    throw broken(file, `line ${line}: ${what.toLowerCase()}`)
  }
  if (!isTable(value)) throw broken(file, 'expected an object')
  return value
}

function library(): typeof import('jsonc-parser') {
  return require('jsonc-parser') as typeof import('jsonc-parser')
}

function tableAt(table: Table, key: string, { file, path }: { file: string; path: string }): Table {
  const value = Object.hasOwn(table, key) ? table[key] : {}
  if (isTable(value)) return value
  throw broken(file, `expected "${path}" to be an object`)
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isTable(value)) return value
  const keys = Object.keys(value).sort()
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]))
}

function broken(file: string, why: string): SkillsError {
  return new SkillsError('config/invalid', `"${file}" is not changed: ${why}`, {
    hint: 'Mend the file first, or add --print to see what belongs into it',
  })
}
