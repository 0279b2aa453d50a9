import type { Rule } from '../rule.ts'

/** Every rule, by area. A rule that is not in this list does not exist. */
export const RULES: readonly Rule[] = []
