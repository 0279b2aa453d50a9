import { openRepositoryRegistry } from '../policy/repository-registry.ts'
import { resolveCwd } from '../policy/working-directory.ts'
import type { Services } from '../services.ts'
import type { ExecuteParams } from '../methods/runtime-execute/definition.ts'
import type { ExecutionLocation } from './execution.ts'

/** Resolves the repository and the start folder of a request. Throws if either does not exist. */
export async function findExecutionLocation(
  { config }: Services,
  { repoId, relativeCwd }: ExecuteParams,
): Promise<ExecutionLocation> {
  if (repoId === undefined) return { repository: undefined, cwd: undefined }
  const repository = openRepositoryRegistry(config).find(repoId)
  return { repository, cwd: await resolveCwd(repository.path, relativeCwd || '.') }
}
