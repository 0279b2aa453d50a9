/** What a token may do: look and fetch, run code, store blobs and skills. */
export const SCOPES = ['read', 'run', 'write'] as const
export type Scope = (typeof SCOPES)[number]

/** Sets of tools that an agent may get. */
export const PROFILE_NAMES = ['protocol', 'full', 'knowledge_only', 'workspace'] as const
export type ProfileName = (typeof PROFILE_NAMES)[number]

/**
 * A schema of zod, as far as the types of a method need one. These declarations name neither zod nor
 * Node: users of the client have neither, and the types of its methods are inferred from the schemas.
 */
export interface Schema<Value> {
  readonly _zod: { readonly input: Value }
  parse(value: unknown): Value
}

/** The name, the words and the schemas of a method. */
export interface MethodDefinition<
  Name extends string = string,
  Params = unknown,
  Result = unknown,
> {
  /** As on the wire: `list_skills`. */
  name: Name
  /** Other names on the wire; no list of tools repeats the method under them. */
  aliases?: readonly string[]
  description: string
  params: Schema<Params>
  /** Parameters that the caller's side gives and no model is asked for, such as `session`. */
  callerParams?: readonly string[]
  /**
   * Other names of parameters. Where this is given, even empty, case and underscores do not count
   * either; the schema's own name wins over the others.
   */
  spellings?: Readonly<Record<string, string>>
  result: Schema<Result>
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

/** Types a method by its schemas: parameters as callers give them, defaults left out. */
export function defineMethod<
  Name extends string,
  Params extends AnySchema,
  Result extends AnySchema,
>(
  written: MethodSource<Name, Params, Result>,
): MethodDefinition<Name, Params['_zod']['input'], Result['_zod']['output']> {
  return written as never
}
