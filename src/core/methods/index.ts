/// <reference types="node" preserve="true" />
import { DEFINITIONS } from './definitions.ts'
import { getCachedPage, listCachedPage } from './list-skills/fast-path/cached-pages.ts'
import type { Method } from './method.ts'
import { METHOD_TABLE } from './table.ts'

/** The facade gives each caller a page of its own; entry points, which only write it, share pages. */
const SHARED_PAGES: Partial<Method> = { getCachedResult: getCachedPage, load: () => listCachedPage }

/** The operations in their order: what a model or a foreign caller is offered. */
export const METHODS: readonly Method[] = DEFINITIONS.map((definition) => {
  const { name } = definition
  const shared = name === 'list_skills' && SHARED_PAGES
  const method: unknown = { ...definition, ...METHOD_TABLE[name], ...shared }
  return method as Method
})

/** The same by each of their names. */
export const METHODS_BY_NAME: ReadonlyMap<string, Method> = new Map(
  METHODS.flatMap((method) =>
    [method.name, ...(method.aliases ?? [])].map((name) => [name, method] as const),
  ),
)
