import { dirname } from 'node:path'
import { readConfigFile } from '../../src/core/config/config-file.ts'
import { resolveProject, resolveUserFile } from '../../src/core/config/load-config.ts'
import { TrustedProjects } from '../../src/core/config/project/project-trust.ts'

/** Trusts the configuration file of a project as it is now, as `skills trust project --yes` does. */
export async function trustProject(cwd: string, env: Record<string, string | undefined>) {
  const { file } = resolveProject({ cwd, env })
  if (file === undefined) return
  const { digest } = readConfigFile(file, { onProblem: () => {} })
  await new TrustedProjects(dirname(resolveUserFile({ env }))).add(file, digest)
}
