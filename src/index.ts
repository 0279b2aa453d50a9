export { SkillsError, type ErrorCode } from './errors.ts'
