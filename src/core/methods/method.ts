import type { ZodType } from 'zod'
import type { RunCall } from '../runs/run-call.ts'
import type { Services } from '../services.ts'

/**
 * One operation as every door sees it. The schema gives the validation of parameters, the JSON
 * Schema of every tool format and the reference page; nothing describes a parameter twice. It lies
 * beside its implementation (`<name>/definition.ts`, `<name>/run.ts`) because loading zod costs a
 * command line as much as starting Node: the CLI calls run.ts, the wire goes through definition.ts.
 */
export interface Method<Params = never, Result = unknown> {
  /** As on the wire: `list_skills`. */
  name: string
  /** Names that the wire knows it by as well; no tool list repeats it under them. */
  aliases?: readonly string[]
  description: string
  /** False where a call changes something or runs code. */
  readOnly: boolean
  params: ZodType<Params>
  /** Parameters that the caller's side gives and no model is asked for, such as `session`. */
  ofCaller?: readonly string[]
  /**
   * Other names of parameters. Where this is given, even empty, case and underscores do not count
   * either; the schema's own name wins over the others.
   */
  spellings?: Readonly<Record<string, string>>
  result: ZodType<Result>
  /** The result where it is known already and cannot change; frozen, so that it is written once. */
  known?(services: Services, params: Params): Result | undefined
  run(services: Services, params: Params, call: RunCall): Promise<Result>
}
