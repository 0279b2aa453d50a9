import { SkillsError } from '../../../errors.ts'
import { toPrintable } from '../../../util/printable.ts'

/** The caller that a name belongs to; null for the user of the machine itself. */
export type NameOwner = string | null

/**
 * The callers that may upload versions of a skill: each name belongs to the first one that used it. Otherwise
 * a newer version of another caller would be the code that everyone runs.
 */
export interface NameOwners {
  /** Undefined for a name without an owner. */
  find(name: string): Promise<NameOwner | undefined>
  /** Gives a free name to an owner. Returns its owner, which another caller may have become. */
  claim(name: string, owner: NameOwner): Promise<NameOwner>
  /** Gives a name to another owner. */
  transfer(name: string, owner: string): Promise<void>
}

/**
 * Refuses a name of another caller, and one that has versions of unknown callers. The user of the machine
 * owns all of its data.
 */
export async function checkOwner(
  owners: Pick<NameOwners, 'find'>,
  name: string,
  { caller, hasVersions }: { caller: NameOwner; hasVersions: boolean },
): Promise<void> {
  const owner = await owners.find(name)
  const isFree = owner === undefined && !hasVersions
  if (caller !== null && !isFree && owner !== caller) throw foreignNameError(name)
}

/** Makes a caller the owner of a free name. */
export async function claimName(
  owners: Pick<NameOwners, 'claim'>,
  name: string,
  caller: NameOwner,
): Promise<void> {
  const owner = await owners.claim(name, caller)
  if (caller !== null && owner !== caller) throw foreignNameError(name)
}

/** Other callers need not know the name of the owner. */
function foreignNameError(name: string): SkillsError {
  return new SkillsError('policy/denied', `'${name}' belongs to another caller`, {
    hint: `Use another name, or ask the operator to type "skills grant ${toPrintable(name)} --owner <token name>"`,
    data: { param: 'manifest.name', reason: 'owned by another caller' },
  })
}

/** True for a stored owner. */
export function isNameOwner(value: unknown): value is NameOwner {
  return value === null || typeof value === 'string'
}
