/// <reference types="node" preserve="true" />
import { DEFINITIONS } from './definitions.ts'
import { keptPage, listKeptPage } from './list-skills/kept-pages.ts'
import type { Method } from './method.ts'
import { METHOD_TABLE } from './table.ts'

/** What entry points answer without a handler: pages of a listing are kept. */
const KEPT = { list_skills: { known: keptPage, load: () => listKeptPage } }

/** The operations in their order: what a model or a foreign caller is offered. */
export const METHODS: readonly Method[] = DEFINITIONS.map((definition) => {
  const { name } = definition
  const method: unknown = {
    ...definition,
    ...METHOD_TABLE[name],
    ...(name in KEPT && KEPT[name as keyof typeof KEPT]),
  }
  return method as Method
})

/** The same by each of their names. */
export const METHODS_BY_NAME: ReadonlyMap<string, Method> = new Map(
  METHODS.flatMap((method) =>
    [method.name, ...(method.aliases ?? [])].map((name) => [name, method] as const),
  ),
)
