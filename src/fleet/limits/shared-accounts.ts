import { encodeToken } from '../catalog/subject-token.ts'

/** Tables of limits in the state of a fleet. */
export type LimitTable = 'rate' | 'runs' | 'use'

/**
 * True for the account of a token. Accounts of addresses contain a space: every front counts them alone,
 * because callers choose them, and would fill the engine.
 */
export function isTokenAccount(account: string): boolean {
  return account !== '' && !/\s/.test(account)
}

/** `k.quota.<table>.<account>` */
export function nameLimit(table: LimitTable, account: string): string {
  return `k.quota.${table}.${encodeToken(account)}`
}
