import type { Repository } from '../skills/repository/repository.ts'

/** Where bodies and documents of skills are read. */
export type SkillReader = Pick<Repository, 'resolve' | 'files' | 'read'>
