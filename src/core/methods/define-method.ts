/**
 * Permissions of a token: read, run code, store blobs and skills, and see what only an operator may:
 * policy, audit log, configuration, and runs of all callers.
 */
export const SCOPES = ['read', 'run', 'write', 'operate'] as const
export type Scope = (typeof SCOPES)[number]

/** Scopes of a token whose line names none. Those of an operator have to be named. */
export const DEFAULT_SCOPES: readonly Scope[] = ['read', 'run', 'write']

/** Sets of tools for agents. */
export const PROFILE_NAMES = ['protocol', 'knowledge', 'agent', 'programs'] as const
export type ProfileName = (typeof PROFILE_NAMES)[number]

/** Former names of profiles, which are accepted until 0.2.0. */
export const FORMER_PROFILES = {
  full: 'agent',
  workspace: 'agent',
  knowledge_only: 'knowledge',
} as const satisfies Readonly<Record<string, ProfileName>>
export type FormerProfileName = keyof typeof FORMER_PROFILES

/** Names that callers may pass, former ones included. */
export const ACCEPTED_PROFILES = [
  ...PROFILE_NAMES,
  ...(Object.keys(FORMER_PROFILES) as FormerProfileName[]),
] as const

/** End of a parameter's description. */
export const FORMER_NAMES = ` (former names: ${Object.keys(FORMER_PROFILES).join(', ')})`

export function resolveProfile(name: (typeof ACCEPTED_PROFILES)[number]): ProfileName {
  return findRenamedProfile(name) ?? (name as ProfileName)
}

/** Resolves a former name; undefined if it is not one. */
export function findRenamedProfile(name: string): ProfileName | undefined {
  if (!Object.hasOwn(FORMER_PROFILES, name)) return undefined
  return FORMER_PROFILES[name as FormerProfileName]
}

/** Tells a caller to use the present name of a profile. */
export function describeRenamedProfile(former: string, name: ProfileName): string {
  return `The profile "${former}" is now "${name}"; "${former}" ends with 0.2.0`
}

/**
 * A zod schema, reduced to the types of a method. These declarations import neither zod nor Node:
 * the client has neither, and the types of its methods are inferred from the schemas.
 */
export interface Schema<Value> {
  readonly _zod: { readonly input: Value }
  parse(value: unknown): Value
}

/** Name, description and schemas of a method. */
export interface MethodDefinition<
  Name extends string = string,
  Params = unknown,
  Result = unknown,
> {
  /** As sent: `list_skills`. */
  name: Name
  /** Further accepted names; tool lists do not repeat the method under them. */
  aliases?: readonly string[]
  description: string
  params: Schema<Params>
  /** Parameters that the application sets and models do not see, such as `session`. */
  callerParams?: readonly string[]
  /**
   * Aliases of parameters. If present, even empty, case and underscores are ignored too; the name
   * in the schema wins over aliases.
   */
  spellings?: Readonly<Record<string, string>>
  result: Schema<Result>
  /** Fields of the result for the application, which models do not need, such as `isolation`. */
  callerResults?: readonly string[]
}

export type MethodParams<Definition extends MethodDefinition> =
  Definition['params']['_zod']['input']
export type MethodResult<Definition extends MethodDefinition> =
  Definition['result']['_zod']['input']

interface AnySchema {
  readonly _zod: { readonly input: unknown; readonly output: unknown }
}

type MethodSource<Name extends string, Params, Result> = Omit<
  MethodDefinition<Name>,
  'params' | 'result'
> & { params: Params; result: Result }

/**
 * Infers the types of a method from its schemas: parameters as callers pass them, with optional
 * defaults.
 */
export function defineMethod<
  Name extends string,
  Params extends AnySchema,
  Result extends AnySchema,
>(
  written: MethodSource<Name, Params, Result>,
): MethodDefinition<Name, Params['_zod']['input'], Result['_zod']['output']> {
  return written as never
}
