import { PROFILE_NAMES, type ProfileName } from './define-method.ts'
import type { MethodName } from './definitions.ts'
import { METHOD_TABLE } from './table.ts'
import type { MethodRow } from './method.ts'

const ROWS = Object.entries(METHOD_TABLE) as [MethodName, MethodRow][]

/** Tools of each profile, in the order of the table. */
export const PROFILES = Object.fromEntries(
  PROFILE_NAMES.map((profile) => [
    profile,
    ROWS.filter(([, { profiles }]) => profiles?.includes(profile)).map(([name]) => name),
  ]),
) as unknown as Readonly<Record<ProfileName, readonly MethodName[]>>
