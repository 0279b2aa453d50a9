import { isBlobId } from '../../storage/blob-id.ts'
import type { Plain, SkillInput } from './manifest.ts'

export function hasType(value: Plain, type: SkillInput['type']): boolean {
  switch (type) {
    case 'any':
      return true
    case 'integer':
      return Number.isSafeInteger(value)
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'blob':
      return typeof value === 'string' && isBlobId(value)
    default:
      return typeof value === type
  }
}
