import { SkillsError, toSkillsError } from '../../../errors.ts'
import type { NewSkill } from './uploaded-skills.ts'

/** A version is added a second time. */
export function versionExistsError(
  { name, version }: Pick<NewSkill, 'name' | 'version'>,
  cause?: unknown,
): SkillsError {
  return new SkillsError('skill/exists', `skill '${name}' already has a version '${version}'`, {
    hint: 'Increase the version: published versions never change',
    data: { param: 'manifest.version', reason: 'exists' },
    cause,
  })
}

/** Converts an error of the data directory into a readable one. */
export function toUploadError(error: unknown, skill: Pick<NewSkill, 'name' | 'version'>): SkillsError {
  const { code = '' } = error as NodeJS.ErrnoException
  if (code === 'ENOTEMPTY' || code === 'EEXIST') return versionExistsError(skill, error)
  if (error instanceof SkillsError || !['EACCES', 'EROFS', 'EPERM'].includes(code)) {
    return toSkillsError(error)
  }
  return new SkillsError('store/unavailable', 'Cannot write uploaded skills to the data directory', {
    hint: 'Check the permissions of the data directory, which "skills config directories.data" shows',
    cause: error,
  })
}
