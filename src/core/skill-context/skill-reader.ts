import type { Repository } from '../skills/repository/repository.ts'

/** Source of skill bodies and documents. */
export type SkillReader = Pick<Repository, 'resolve' | 'files' | 'read'>
