import type { Plain, PlainObject } from '../../skills/manifest/manifest.ts'
import { toSortedJson } from '../../skills/manifest/sorted-json.ts'
import { compareKeywords } from './schema-keywords.ts'

/** A difference of two JSON Schemas at a path of the value. */
export interface SchemaChange {
  /** Path in the value, such as `rows[].name`. */
  path: string
  keyword: string
  /** Values that only one of the schemas accepts; `changed` is both. */
  effect: 'narrowed' | 'widened' | 'changed' | 'described'
  before: string | undefined
  after: string | undefined
}

export type JsonSchemaValue = Plain | undefined

/** Keywords that must be compared as one, because they depend on each other. */
const GROUPS: readonly (readonly string[])[] = [
  ['$ref', '$dynamicRef', '$defs', 'definitions', '$anchor', '$dynamicAnchor', '$id'],
  ['if', 'then', 'else'],
  ['contains', 'minContains', 'maxContains'],
]
const OBJECT_GROUP = [
  'patternProperties',
  'unevaluatedProperties',
  'properties',
  'additionalProperties',
]
const LIST_GROUP = ['prefixItems', 'unevaluatedItems', 'additionalItems', 'items']
const ANNOTATIONS = new Set([
  '$schema',
  '$comment',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
])
const STRUCTURAL = new Set([
  ...GROUPS.flat(),
  ...OBJECT_GROUP,
  ...LIST_GROUP,
  'type',
  'required',
  'enum',
  'const',
])
const MAX_DEPTH = 40
const MAX_CHANGES = 500

/**
 * Changes of the set of accepted values. Without a `narrowed` or `changed` part, the second schema
 * accepts every value that the first accepts. A keyword that is not understood counts as both.
 */
export function compareSchemas(before: JsonSchemaValue, after: JsonSchemaValue): SchemaChange[] {
  const changes: SchemaChange[] = []
  compareNode({ changes, depth: 0 }, '', [before, after])
  return changes.slice(0, MAX_CHANGES)
}

interface SchemaWalk {
  changes: SchemaChange[]
  depth: number
}

type SchemaPair = readonly [JsonSchemaValue, JsonSchemaValue]

function compareNode(walk: SchemaWalk, path: string, [before, after]: SchemaPair): void {
  if (walk.changes.length >= MAX_CHANGES || isSame(before, after)) return
  const [old, now] = [toTable(before), toTable(after)]
  if (!old || !now) {
    const effect = before === false ? 'widened' : after === false ? 'narrowed' : 'changed'
    addChange(walk, {
      path,
      keyword: 'schema',
      effect,
      before: printSchema(before),
      after: printSchema(after),
    })
    return
  }
  if (walk.depth > MAX_DEPTH) {
    addChange(walk, {
      path,
      keyword: 'schema',
      effect: 'changed',
      before: undefined,
      after: undefined,
    })
    return
  }
  const below = { changes: walk.changes, depth: walk.depth + 1 }
  compareTypes(below, path, [old, now])
  compareEnums(below, path, [old, now])
  compareRequired(below, path, [old, now])
  for (const group of GROUPS) compareGroup(below, path, { group, pair: [old, now] })
  compareObjects(below, path, [old, now])
  compareLists(below, path, [old, now])
  for (const change of compareKeywords(old, now, STRUCTURAL)) {
    const isDescription = ANNOTATIONS.has(change.keyword)
    addChange(below, { path, ...change, ...(isDescription && { effect: 'described' }) })
  }
}

function addChange({ changes }: SchemaWalk, change: SchemaChange): void {
  changes.push(change)
}

type TablePair = readonly [PlainObject, PlainObject]

function compareTypes(walk: SchemaWalk, path: string, [old, now]: TablePair): void {
  const [was, is] = [listAllowedTypes(old['type']), listAllowedTypes(now['type'])]
  const lost = [...was].some((type) => !is.has(type))
  const won = [...is].some((type) => !was.has(type))
  if (!lost && !won) return
  const effect = lost && won ? 'changed' : lost ? 'narrowed' : 'widened'
  addChange(walk, {
    path,
    keyword: 'type',
    effect,
    before: printSchema(old['type']),
    after: printSchema(now['type']),
  })
}

/** `const` is a list of one value. */
function compareEnums(walk: SchemaWalk, path: string, [old, now]: TablePair): void {
  for (const keyword of ['enum', 'const'] as const) {
    const [was, is] = [listEnumValues(old, keyword), listEnumValues(now, keyword)]
    const lost = is !== undefined && (was === undefined || [...was].some((value) => !is.has(value)))
    const won = was !== undefined && (is === undefined || [...is].some((value) => !was.has(value)))
    if (!lost && !won) continue
    const effect = lost && won ? 'changed' : lost ? 'narrowed' : 'widened'
    addChange(walk, {
      path,
      keyword,
      effect,
      before: printSchema(old[keyword]),
      after: printSchema(now[keyword]),
    })
  }
}

function listEnumValues(schema: PlainObject, keyword: 'enum' | 'const'): Set<string> | undefined {
  const value = schema[keyword]
  if (value === undefined) return undefined
  const values = keyword === 'enum' && Array.isArray(value) ? value : [value]
  return new Set(values.map(toSortedJson))
}

function compareRequired(walk: SchemaWalk, path: string, [old, now]: TablePair): void {
  const [was, is] = [listRequiredNames(old['required']), listRequiredNames(now['required'])]
  for (const name of new Set([...was, ...is])) {
    if (was.has(name) === is.has(name)) continue
    const effect = is.has(name) ? 'narrowed' : 'widened'
    const change = { keyword: 'required', effect, before: undefined, after: undefined } as const
    addChange(walk, { path: joinSchemaPath(path, name), ...change })
  }
}

function listRequiredNames(value: Plain | undefined): Set<string> {
  return new Set(Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [])
}

function compareGroup(
  walk: SchemaWalk,
  path: string,
  { group, pair: [old, now] }: { group: readonly string[]; pair: TablePair },
): void {
  const pick = (schema: PlainObject) =>
    toSortedJson(
      Object.fromEntries(
        group.flatMap((key) => (key in schema ? [[key, schema[key] as Plain]] : [])),
      ),
    )
  const [was, is] = [pick(old), pick(now)]
  if (was === is) return
  const keyword = group.find((key) => !isSame(old[key], now[key])) ?? 'schema'
  addChange(walk, {
    path,
    keyword,
    effect: 'changed',
    before: printSchema(old[keyword]),
    after: printSchema(now[keyword]),
  })
}

/** A property that is not declared has the schema of `additionalProperties`. */
function compareObjects(walk: SchemaWalk, path: string, [old, now]: TablePair): void {
  const isOpen = ['patternProperties', 'unevaluatedProperties'].some(
    (key) => key in old || key in now,
  )
  if (isOpen) return compareGroup(walk, path, { group: OBJECT_GROUP, pair: [old, now] })
  const [was, is] = [toTable(old['properties']) ?? {}, toTable(now['properties']) ?? {}]
  const rest: SchemaPair = [old['additionalProperties'], now['additionalProperties']]
  for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const pair: SchemaPair = [
      Object.hasOwn(was, name) ? was[name] : rest[0],
      Object.hasOwn(is, name) ? is[name] : rest[1],
    ]
    compareNode(walk, joinSchemaPath(path, name), pair)
  }
  compareNode(walk, joinSchemaPath(path, '*'), rest)
}

function compareLists(walk: SchemaWalk, path: string, [old, now]: TablePair): void {
  const isOpen = ['prefixItems', 'unevaluatedItems', 'additionalItems'].some(
    (key) => key in old || key in now,
  )
  const isTuple = Array.isArray(old['items']) || Array.isArray(now['items'])
  if (isOpen || isTuple) return compareGroup(walk, path, { group: LIST_GROUP, pair: [old, now] })
  compareNode(walk, `${path}[]`, [old['items'], now['items']])
}

function joinSchemaPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

/** The empty schema accepts everything, as `true` and a missing one do. */
function toTable(schema: JsonSchemaValue): PlainObject | undefined {
  if (schema === undefined || schema === true) return {}
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema)
    ? schema
    : undefined
}

function isSame(before: JsonSchemaValue, after: JsonSchemaValue): boolean {
  return before === after || printSchema(before) === printSchema(after)
}

function printSchema(value: JsonSchemaValue): string | undefined {
  return value === undefined ? undefined : toSortedJson(value)
}

const ALL_TYPES = ['array', 'boolean', 'fraction', 'integer', 'null', 'object', 'string']

/** The types that `type` allows; `number` is integers and fractions, a missing one allows all. */
function listAllowedTypes(type: Plain | undefined): ReadonlySet<string> {
  if (type === undefined) return new Set(ALL_TYPES)
  const names = Array.isArray(type) ? type : [type]
  return new Set(
    names.flatMap((name) => (name === 'number' ? ['integer', 'fraction'] : [name as string])),
  )
}
