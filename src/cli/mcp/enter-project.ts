import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { SkillsError } from '../../errors.ts'
import type { Context } from '../context.ts'

/** A context with the folder of a project as working directory; clients start servers anywhere. */
export function enterProject(context: Context, project: string | undefined): Context {
  if (project === undefined) return context
  const cwd = resolve(context.cwd, project)
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    // The members of a context are inherited, as in createContext.
    return Object.create(context, { cwd: { value: cwd, enumerable: true } }) as Context
  }
  throw new SkillsError('usage/invalid', `--project "${project}" is not a folder`, {
    hint: 'Pass the folder of a project, or run skills mcp install again',
  })
}
