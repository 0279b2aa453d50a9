import type { InputType } from '../../manifest/manifest.ts'

/** An input or a result of a skill that is being written. */
export interface OutlineField {
  name: string
  type: InputType
  description: string
  /** False for an input that callers can omit; a result is always present. */
  required: boolean
  /** Value in the example call; derived from the type by default. */
  example?: string | boolean
}

/** Interface of a skill that is being written: the sources of its files. */
export interface Outline {
  inputs: readonly OutlineField[]
  results: readonly OutlineField[]
  /** Entries of permissions.network. */
  network: readonly string[]
  /** Names of permissions.secrets. */
  secrets: readonly string[]
}

export const EMPTY_OUTLINE: Outline = { inputs: [], results: [], network: [], secrets: [] }

/** Name of the input with which generated code skips its requests. */
export const DRY_RUN = 'dry_run'

/** Adds the input with which a skill with network runs without one. */
export function completeOutline(outline: Outline): Outline {
  const hasDryRun = outline.inputs.some(({ name }) => name === DRY_RUN)
  if (outline.network.length === 0 || hasDryRun) return outline
  const dryRun: OutlineField = {
    name: DRY_RUN,
    type: 'boolean',
    description: 'Only show the request, send nothing',
    required: false,
    example: true,
  }
  return { ...outline, inputs: [...outline.inputs, dryRun] }
}

/** The host of the secrets; undefined unless there is one, with TLS. */
export function findSecretHost([host, ...others]: readonly string[]): string | undefined {
  const isUsable = host !== undefined && others.length === 0 && /^https:\/\/(?!\*)/i.test(host)
  return isUsable ? host : undefined
}
