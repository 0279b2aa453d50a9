/// <reference types="node" preserve="true" />
import { DEFINITIONS } from './definitions.ts'
import { listFormerMethods } from './former-names.ts'
import { getCachedPage, listCachedPage } from './list-skills/fast-path/cached-pages.ts'
import type { Method } from './method.ts'
import { METHOD_TABLE } from './table.ts'

/**
 * Callers of the facade may change a page, so each gets its own; entry points only serialize it and
 * share cached pages.
 */
const SHARED_PAGES: Partial<Method> = { getCachedResult: getCachedPage, load: () => listCachedPage }

/** All methods, in the order in which models and clients see them. */
export const METHODS: readonly Method[] = DEFINITIONS.map((definition) => {
  const { name } = definition
  const shared = name === 'list_skills' && SHARED_PAGES
  const method: unknown = { ...definition, ...METHOD_TABLE[name], ...shared }
  return method as Method
})

/** Methods by name and alias. */
export const METHODS_BY_NAME: ReadonlyMap<string, Method> = new Map(
  METHODS.flatMap((method) =>
    [method.name, ...(method.aliases ?? [])].map((name) => [name, method] as const),
  ),
)

/** Methods by names that were theirs in the version before. */
export const FORMER_METHODS: ReadonlyMap<string, Method> = new Map(listFormerMethods(METHODS))
