import { statSync } from 'node:fs'
import type { Config } from '../config/config.ts'

/** True if there are rules, which a caller that must not wait for them cannot evaluate. */
export function hasPolicyFile({ policy }: Pick<Config, 'policy'>): boolean {
  const { file, standardFile, projectFile } = policy
  if (file !== undefined || projectFile !== undefined) return true
  return (
    standardFile !== undefined && statSync(standardFile, { throwIfNoEntry: false }) !== undefined
  )
}
