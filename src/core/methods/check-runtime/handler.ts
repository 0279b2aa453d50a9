import { PACKAGE_ROOT } from '../../open-services.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import type { CheckRuntimeResult } from './definition.ts'

type CheckServices = Pick<
  Services,
  'config' | 'origins' | 'machineCheck' | 'repository' | 'sandboxes'
>

/** `check_runtime`: checks the machine. Calls that arrive meanwhile get the same result. */
export async function checkRuntime(
  services: CheckServices,
  _params: object,
  call: Pick<RunCall, 'cwd' | 'env'>,
): Promise<CheckRuntimeResult> {
  const { machineCheck } = services
  const running = (machineCheck.running ??= startCheck(services, call))
  try {
    return await running
  } finally {
    if (machineCheck.running === running) machineCheck.running = undefined
  }
}

async function startCheck(
  { config, origins, repository, sandboxes }: CheckServices,
  { cwd, env }: Pick<RunCall, 'cwd' | 'env'>,
) {
  const { checkMachine } = await import('../../doctor/check-machine.ts')
  // A runtime exists only with a valid configuration.
  const configuration = { files: origins?.files ?? [], problems: [] }
  return await checkMachine({
    cwd,
    env,
    config,
    configuration,
    repository,
    sandboxes,
    packageRoot: PACKAGE_ROOT,
  })
}
