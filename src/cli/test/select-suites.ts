import { existsSync, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { findTargets } from '../../core/lint/targets.ts'
import { SUITE_FILE } from '../../core/testing/suites/find-suites.ts'
import type { SkillSelection } from '../../testing/running/plan-tests.ts'
import type { Context } from '../context.ts'

/** Finds the skills and files of cases that a command line names; by default those of the folder. */
export function selectSuites(context: Context, paths: readonly string[]): SkillSelection[] {
  const files = new Map<string, string[]>()
  const folders: string[] = []
  for (const path of paths) {
    const absolute = resolve(context.cwd, path)
    if (isSuiteFile(absolute)) {
      const skill = dirname(dirname(absolute))
      files.set(skill, [...(files.get(skill) ?? []), absolute])
    } else folders.push(path)
  }
  const searched = paths.length === 0 ? ['.'] : folders
  const skills = searched.length === 0 ? [] : findTargets(context.cwd, searched)
  return [
    ...skills.map((skill) => ({ skill, files: undefined })),
    ...[...files]
      .filter(([skill]) => !skills.includes(skill))
      .map(([skill, own]) => ({ skill, files: own })),
  ]
}

function isSuiteFile(path: string): boolean {
  return (
    SUITE_FILE.test(basename(path)) &&
    basename(dirname(path)) === 'tests' &&
    existsSync(path) &&
    statSync(path).isFile()
  )
}
